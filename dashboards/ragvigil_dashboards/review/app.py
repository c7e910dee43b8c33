"""The entry that Streamlit runs: a name, then one item after the other."""

import os
from pathlib import Path

import streamlit as st

from ragvigil_dashboards.client import HttpApi
from ragvigil_dashboards.figures.empty import problem
from ragvigil_dashboards.review import figures
from ragvigil_dashboards.review.choices import CHOICES, SKIP
from ragvigil_dashboards.review.desk import Desk
from ragvigil_dashboards.review_client import ReviewClient

DEFAULT_URL = "http://127.0.0.1:4318"


def main() -> None:
    """Ask who reviews, then draw their desk."""
    st.set_page_config(page_title="Ragvigil review", page_icon=Path(__file__).with_name("icon.svg"), layout="wide")
    st.html(Path(__file__).with_name("style.css"))
    reviewer = str(st.session_state.get("reviewer") or st.query_params.get("reviewer", "")).strip()
    if reviewer:
        _draw(_desk(reviewer[:80]))
    else:
        _welcome()


def _welcome() -> None:
    st.html(figures.guideline())
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
    if st.session_state.get("help"):
        st.html(figures.guideline())
    elif desk.item is not None:
        st.html(figures.item_view(desk.item))
    elif desk.problem is None:
        st.html(figures.nothing_waits(desk.held))
    with st.container(key="keys"):
        _labels(desk)
        _others(desk)


def _labels(desk: Desk) -> None:
    with st.container(horizontal=True, key="labels"):
        for choice in CHOICES:
            st.button(
                choice.title,
                shortcut=choice.key,
                help=choice.rule,
                on_click=desk.decide,
                args=(choice,),
                disabled=desk.item is None or bool(st.session_state.get("help")),
                width="stretch",
            )


def _others(desk: Desk) -> None:
    with st.container(horizontal=True, key="others", vertical_alignment="center"):
        st.html(figures.held_view(desk.held), width="stretch")
        nothing = desk.held is None
        st.button("Undo", shortcut="U", on_click=desk.undo, disabled=nothing, type="tertiary")
        st.button(
            SKIP.title,
            shortcut=SKIP.key,
            on_click=desk.decide,
            args=(SKIP,),
            disabled=desk.item is None,
            type="tertiary",
        )
        st.button("Send the last one", shortcut="D", on_click=desk.send, disabled=nothing, type="tertiary")
        st.button("Look again", shortcut="N", on_click=desk.send, disabled=desk.item is not None, type="tertiary")
        st.button("Guideline", shortcut="H", on_click=_toggle_help, type="tertiary")


def _toggle_help() -> None:
    st.session_state["help"] = not st.session_state.get("help")


def _address() -> str:
    return os.environ.get("RAGVIGIL_API_URL", DEFAULT_URL)


@st.cache_resource(show_spinner=False, max_entries=8)
def _api(url: str, key: str) -> HttpApi:
    return HttpApi(url, key)


main()
