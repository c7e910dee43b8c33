"""Keys that are held down press their button once."""

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st


def end_repeats() -> None:
    """Have the page pass over the repeats of a key that is held down; draws nothing."""
    with st.container(key="held-keys"):
        _component()(key="held_keys")


@cache
def _component() -> Any:
    return st.components.v2.component(
        "ragvigil_held_keys", js=Path(__file__).with_name("held_keys.js").read_text(encoding="utf-8")
    )
