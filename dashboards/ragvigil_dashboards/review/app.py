"""The entry that Streamlit runs: a name, then one item after the other."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import streamlit as st

from ragvigil_dashboards.client import HttpApi
from ragvigil_dashboards.figures.empty import problem
from ragvigil_dashboards.review import figures
from ragvigil_dashboards.review.choices import CHOICES, SKIP, Choice
from ragvigil_dashboards.review.desk import Desk
from ragvigil_dashboards.review.held_keys import end_repeats
from ragvigil_dashboards.review.relevance_desk import relevance_desk
from ragvigil_dashboards.review.relevance_figures import relevance_keys
from ragvigil_dashboards.review_client import ReviewClient

DEFAULT_URL = "http://127.0.0.1:4318"


def main() -> None:
    """Ask who reviews, then draw their desk."""
    st.set_page_config(page_title="Ragvigil review", page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
    for style in ("style.css", "relevance.css"):
        st.html(Path(__file__).with_name(style))
    reviewer = str(st.session_state.get("reviewer") or st.query_params.get("reviewer", "")).strip()
    if reviewer:
        desk = _desk(reviewer[:80])
        _draw(desk)
        desk.shown()
    else:
        _welcome()


def _welcome() -> None:
    st.html(figures.welcome())
    st.html(figures.guideline())
    st.html(figures.relevance_guideline())
    name = st.text_input(
        "Your name, the same every time", max_chars=80, placeholder="Then press Enter", width=420, key="name"
    )
    if name.strip():
        st.session_state["reviewer"] = st.query_params["reviewer"] = name.strip()
        st.rerun()


def _desk(reviewer: str) -> Desk:
    """The desk of this session; opened once."""
    desk: Desk | None = st.session_state.get("desk")
    if desk is None or desk.reviewer != reviewer:
        desk = Desk(ReviewClient(_api(_address(), os.environ.get("RAGVIGIL_API_KEY", "")), reviewer))
        desk.open()
        st.session_state["desk"] = desk
    return desk


def _draw(desk: Desk) -> None:
    st.html(figures.progress_view(desk.progress, desk.held, desk.reviewer))
    if desk.problem is not None:
        st.html(problem(desk.problem))
    with st.container(key="front-of-documents" if desk.marks_documents else "front"):
        _front(desk)
    if desk.marks_documents:
        st.html(relevance_keys() if not _shows_guideline() else "<p></p>")
    else:
        _label_keys(desk)
    _other_keys(desk)
    end_repeats()


def _front(desk: Desk) -> None:
    if _shows_guideline():
        st.html(figures.relevance_guideline() if desk.marks_documents else figures.guideline())
    elif desk.marks_documents:
        relevance_desk(desk)
    elif desk.item is not None:
        st.html(figures.item_view(desk.item))
    elif desk.problem is None:
        st.html(figures.nothing_waits(desk.held))


def _label_keys(desk: Desk) -> None:
    idle = desk.item is None or _shows_guideline()
    for column, choice in zip(st.columns(len(CHOICES)), CHOICES, strict=True):
        with column:
            _key(choice.title, choice.key, desk.decide, choice, disabled=idle, width="stretch", type="secondary")
            st.html(figures.rule_view(choice))


def _other_keys(desk: Desk) -> None:
    covered = _shows_guideline()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.html(figures.held_view(desk.held), width="stretch")
        _key("Undo", "U", desk.undo, disabled=covered)
        _key("Send it now", "D", desk.send, disabled=covered)
        if desk.item is None:
            _key("Look again", "N", desk.send, disabled=covered)
        else:
            _key(SKIP.title, SKIP.key, desk.decide, SKIP, disabled=covered)
        _key("Back" if covered else "Guideline", "H", _toggle_guideline)


def _key(
    title: str,
    shortcut: str,
    act: Callable[..., None],
    *given: Choice,
    disabled: bool = False,
    width: Literal["content", "stretch"] = "content",
    type: Literal["secondary", "tertiary"] = "tertiary",  # noqa: A002 - Streamlit's name for it
) -> None:
    st.button(
        title, key=shortcut, shortcut=shortcut, on_click=act, args=given, disabled=disabled, width=width, type=type
    )


def _shows_guideline() -> bool:
    return bool(st.session_state.get("guideline"))


def _toggle_guideline() -> None:
    st.session_state["guideline"] = not _shows_guideline()


def _address() -> str:
    return os.environ.get("RAGVIGIL_API_URL", DEFAULT_URL)


@st.cache_resource(show_spinner=False, max_entries=8)
def _api(url: str, key: str) -> HttpApi:
    return HttpApi(url, key)


main()
