"""The list of documents that is marked by keyboard, and what comes back from it."""

from collections.abc import Mapping
from typing import Any, Final

import streamlit as st

from ragvigil_dashboards.review.desk import PAUSE_S, Desk
from ragvigil_dashboards.review.relevance_figures import relevance_data
from ragvigil_dashboards.review.scripts import component

_KEY: Final = "relevance"


def relevance_desk(desk: Desk) -> None:
    """Draw the documents of the item in front; saving them decides it."""
    if desk.item is not None:
        data = {**relevance_data(desk.item, desk.marked), "pause_ms": PAUSE_S * 1000}
        component(_KEY)(key=_KEY, data=data, on_saved_change=lambda: _save(desk))


def _save(desk: Desk) -> None:
    saved = st.session_state[_KEY].get("saved")
    if isinstance(saved, Mapping):
        desk.mark(str(saved.get("item")), _places(saved.get("marked")))


def _places(given: Any) -> list[int] | None:
    """Whole numbers, or None for anything else that a page could send."""
    if not isinstance(given, list) or not all(isinstance(place, int | float) for place in given):
        return None
    return [int(place) for place in given] if all(float(place).is_integer() for place in given) else None
