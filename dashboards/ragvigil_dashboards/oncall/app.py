"""The entry that Streamlit runs: navigation between the pages of the on-call app."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st

from ragvigil_dashboards.oncall import (
    answer_page,
    answers_page,
    completeness_page,
    evidence_page,
    overview_page,
    session,
    signals_page,
)

ICON = Path(__file__).with_name("icon.svg")


def main() -> None:
    """Draw the page that the address asks for."""
    st.set_page_config(page_title="Ragvigil on call", page_icon=ICON, layout="wide")
    session.style()
    client = session.client()
    answer = _page(partial(answer_page.draw, client), "Answer", "search")

    def open_answer(trace_id: str) -> None:
        st.switch_page(answer, query_params={"trace_id": trace_id})

    pages = [
        _page(partial(overview_page.draw, client), "Overview", "notifications_active", default=True),
        _page(partial(signals_page.draw, client), "Signals", "show_chart"),
        _page(partial(answers_page.draw, client, open_answer), "Answers", "list"),
        answer,
        _page(partial(evidence_page.draw, client), "Evidence", "filter_alt"),
        _page(partial(completeness_page.draw, client), "Completeness", "inventory_2"),
    ]
    st.navigation(pages, position="top").run()


def _page(draw: Callable[[], None], title: str, icon: str, *, default: bool = False) -> st.Page:
    return st.Page(draw, title=title, url_path=title.lower(), icon=f":material/{icon}:", default=default)


main()
