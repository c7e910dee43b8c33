"""Answers: the newest, slowest or costliest, and one by its trace id."""

from collections.abc import Callable
from datetime import timedelta

import streamlit as st

from ragvigil_dashboards.client import Client
from ragvigil_dashboards.figures.answer_table import answer_table
from ragvigil_dashboards.figures.empty import no_answers_yet, nothing
from ragvigil_dashboards.oncall import session
from ragvigil_dashboards.oncall.pickers import pick
from ragvigil_dashboards.oncall.trace_search import trace_search

ORDERS = ("newest", "slowest", "costliest")
RANGES = {
    "1 h": timedelta(hours=1),
    "24 h": timedelta(days=1),
    "7 d": timedelta(days=7),
    "28 d": timedelta(days=28),
}
SHOWN = 100
ANY = "any"


def draw(client: Client, open_answer: Callable[[str], None]) -> None:
    """Draw the search, the filters and the list; `open_answer` is given a trace id that was searched for."""
    with session.problems_shown():
        with st.container(horizontal=True, vertical_alignment="top"):
            order = pick("Order", ORDERS, key="order", shown_as=str.capitalize)
            length = pick("Started in the last", list(RANGES), key="last", usual="24 h")
            stage = _choice("Stage", _stages(client), key="stage")
            intent = _choice("Intent", _intents(client), key="intent")
            trace_search(open_answer)
        _list(client, order, RANGES[length], stage, intent)


def _list(client: Client, order: str, length: timedelta, stage: str | None, intent: str | None) -> None:
    reader = session.reader()
    end = reader.now.replace(microsecond=0) + timedelta(seconds=1)
    start = (end - length).isoformat()
    rows = client.answers(start=start, end=end.isoformat(), order=order, stage=stage, intent=intent, limit=SHOWN)
    if rows:
        session.show(answer_table(rows, reader, stage))
    elif client.status().last_answer_at is None:
        session.show(no_answers_yet())
    else:
        session.show(nothing("No answer fits", "Choose a longer time or fewer filters."))


def _stages(client: Client) -> list[str]:
    return sorted({name for info in client.signals() if info.unit == "ms" for name in info.series} - {"answer"})


def _intents(client: Client) -> list[str]:
    return sorted({row.intent for row in client.answers(limit=500) if row.intent})


def _choice(label: str, options: list[str], *, key: str) -> str | None:
    chosen = st.selectbox(label, [ANY, *options], key=key, bind="query-params", width=160)
    return None if chosen == ANY else chosen
