"""Completeness: of what applications began, how much arrived, and what was wrong with it."""

import streamlit as st

from ragvigil_dashboards.client import Client
from ragvigil_dashboards.figures.completeness_hours import hour_table
from ragvigil_dashboards.figures.completeness_tables import ingest_table, process_table
from ragvigil_dashboards.figures.empty import no_answers_yet
from ragvigil_dashboards.figures.feedback_table import feedback_table
from ragvigil_dashboards.figures.instrumentation_table import instrumentation_table
from ragvigil_dashboards.figures.phoenix_view import phoenix_facts
from ragvigil_dashboards.markup import tag
from ragvigil_dashboards.oncall import session

REFRESHED_EVERY_S = 15
SHOWN_HOURS = 24
FEEDBACK_DAYS = 7
INSTRUMENTATION_HOURS = 24


def draw(client: Client) -> None:
    """Draw all tables; they renew themselves."""
    _refreshing(client)


@st.fragment(run_every=REFRESHED_EVERY_S)
def _refreshing(client: Client) -> None:
    with session.problems_shown():
        processes, counts, phoenix = client.completeness(), client.ingest(), client.phoenix()
        if not processes and not counts:
            session.show(no_answers_yet())
            return
        session.show(tag("h2", "Spans by process"))
        session.show(process_table(processes, session.reader()))
        session.show(tag("h2", f"Spans by hour, of the last {SHOWN_HOURS} hours"))
        session.show(hour_table(client.completeness_hours(hours=SHOWN_HOURS), session.reader()))
        session.show(tag("h2", "What became of everything received"))
        session.show(ingest_table(counts))
        session.show(tag("h2", f"How services were instrumented in the last {INSTRUMENTATION_HOURS} hours"))
        session.show(instrumentation_table(client.instrumentation(hours=INSTRUMENTATION_HOURS)))
        session.show(tag("h2", f"What users said in the last {FEEDBACK_DAYS} days"))
        session.show(feedback_table(client.feedback(days=FEEDBACK_DAYS)))
        if phoenix is not None:
            session.show(tag("h2", "What went on to Phoenix"))
            session.show(phoenix_facts(phoenix, session.reader()))
