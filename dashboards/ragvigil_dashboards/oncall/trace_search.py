"""Find an answer by its trace id."""

import re
from collections.abc import Callable

import streamlit as st

_TRACE_ID = re.compile(r"[0-9a-f]{32}")


def trace_search(open_answer: Callable[[str], None]) -> None:
    """A field that opens the answer whose trace id is typed."""
    typed = st.text_input("Find by trace id", key="find", placeholder="32 hex digits", width=330)
    if not typed:
        return
    trace_id = trace_id_in(typed)
    if trace_id is None:
        st.caption("A trace id is 32 hex digits.")
    else:
        open_answer(trace_id)


def trace_id_in(text: str) -> str | None:
    """The trace id that somebody typed or pasted, blanks, dashes, capitals and a `0x` forgiven; None if it is none."""
    found = re.sub(r"[\s-]", "", text).lower().removeprefix("0x")
    return found if _TRACE_ID.fullmatch(found) else None
