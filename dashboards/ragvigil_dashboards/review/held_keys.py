"""Keys that are held down press their button once."""

import streamlit as st

from ragvigil_dashboards.review.scripts import component


def end_repeats() -> None:
    """Have the page pass over the repeats of a key that is held down; draws nothing."""
    with st.container(key="held-keys"):
        component("held_keys")(key="held_keys")
