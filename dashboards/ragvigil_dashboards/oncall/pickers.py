"""A choice of one from a few, kept in the address of the page so that a link shows the same."""

from collections.abc import Callable, Sequence

import streamlit as st


def pick(
    label: str, options: Sequence[str], *, key: str, usual: str | None = None, shown_as: Callable[[str], str] = str
) -> str:
    """One of the options; the one that the address names, else `usual`, else the first, until somebody chooses.

    Streamlit's own binding to the address would write what is shown, not the option.
    """
    otherwise = usual or options[0]
    asked = st.query_params.get(key)
    selected = st.segmented_control(
        label,
        options,
        key=key,
        default=asked if asked in options else otherwise,
        format_func=shown_as,
        required=True,
    )
    chosen = selected or otherwise
    _keep_in_address(key, chosen, otherwise)
    return chosen


def _keep_in_address(key: str, chosen: str, usual: str) -> None:
    if chosen == usual:
        st.query_params.pop(key, None)
    else:
        st.query_params[key] = chosen
