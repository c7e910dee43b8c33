"""Evidence: how often filters keep it out, and which stage loses it, by what reviewers found."""

import streamlit as st

from ragvigil_dashboards.client import Client
from ragvigil_dashboards.figures.empty import nothing
from ragvigil_dashboards.figures.evidence_losses import evidence_losses_table, losses_sentence
from ragvigil_dashboards.figures.exclusion_rates import (
    exclusion_note,
    exclusion_table,
    no_evidence_advice,
    unjudged_table,
)
from ragvigil_dashboards.markup import tag
from ragvigil_dashboards.oncall import session
from ragvigil_dashboards.oncall.pickers import pick

REFRESHED_EVERY_S = 60
_WINDOWS = ("7", "28")


def draw(client: Client) -> None:
    """Draw the rates over both windows and the losses over the chosen one; they renew themselves."""
    days = int(pick("Window", _WINDOWS, key="days", usual="28", shown_as=lambda days: f"{days} d"))
    _refreshing(client, days)


@st.fragment(run_every=REFRESHED_EVERY_S)
def _refreshing(client: Client, days: int) -> None:
    with session.problems_shown():
        windows = {each: client.false_exclusion(days=each) for each in map(int, _WINDOWS)}
        losses, chosen = client.losses(days=days), windows[days]
        session.show(tag("h2", "How often filters keep all evidence out"))
        session.show(exclusion_table(windows))
        session.show(exclusion_note(chosen))
        session.show(tag("h2", f"Which stage loses the evidence, last {days} d"))
        if losses.n:
            session.show(losses_sentence(losses))
            session.show(evidence_losses_table(losses))
        else:
            session.show(nothing("No reviewed evidence", no_evidence_advice(chosen.rates[0])))
        session.show(tag("h2", f"What could not be judged, last {days} d"))
        session.show(unjudged_table(chosen))
