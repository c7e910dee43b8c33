"""The first page: what is wrong, since when, how sure, where, which release, which traces."""

import streamlit as st

from ragvigil_dashboards.client import Client
from ragvigil_dashboards.figures.alert_card import card, worst_first
from ragvigil_dashboards.figures.empty import no_answers_yet, problem
from ragvigil_dashboards.figures.guardrail_table import guardrail_table
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.resolved_table import recently_resolved, resolved_table
from ragvigil_dashboards.figures.states import ALERT, look
from ragvigil_dashboards.figures.verdict import headline, trouble_words, vital_signs
from ragvigil_dashboards.markup import tag
from ragvigil_dashboards.models import Status
from ragvigil_dashboards.oncall import session
from ragvigil_dashboards.oncall.alert_actions import alert_actions

REFRESHED_EVERY_S = 10


def draw(client: Client) -> None:
    """Draw the page; it renews itself."""
    _refreshing(client)


@st.fragment(run_every=REFRESHED_EVERY_S)
def _refreshing(client: Client) -> None:
    with session.problems_shown():
        reader = session.reader()
        status = client.status()
        _top(client, status, reader)
        for alert in worst_first(status.alerts):
            with st.container(key=f"card-{look(alert.state, ALERT).tone}-{alert.alert_id}"):
                session.show(card(alert, reader, status.phoenix_urls))
                alert_actions(client, alert, reader)
        if status.guardrails:
            session.show(tag("h2", "All guardrails"))
            session.show(guardrail_table(status.guardrails, reader))
        over = recently_resolved(client.alerts(state="resolved", limit=50), reader)
        if over:
            session.show(tag("h2", "Recently resolved"))
            session.show(resolved_table(over, reader))


def _top(client: Client, status: Status, reader: Reader) -> None:
    session.show(tag("div", headline(status), vital_signs(status, client.completeness(), reader), class_="rv-top"))
    for trouble in status.problems:
        session.show(problem(trouble_words(trouble, reader)))
    if status.last_answer_at is None:
        session.show(no_answers_yet())
