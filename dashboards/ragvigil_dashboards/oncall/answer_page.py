"""One answer: question, answer, what became of the evidence, and where the time went."""

from collections.abc import Sequence

import streamlit as st

from ragvigil_dashboards.client import Client
from ragvigil_dashboards.exclusion_models import ReviewedRetrieval
from ragvigil_dashboards.figures import waterfall
from ragvigil_dashboards.figures.answer_view import facts, question_and_answer
from ragvigil_dashboards.figures.empty import nothing, problem
from ragvigil_dashboards.figures.losses import losses_table
from ragvigil_dashboards.figures.reviewed_evidence import reviewed_evidence
from ragvigil_dashboards.figures.stage_details import stage_details
from ragvigil_dashboards.markup import tag
from ragvigil_dashboards.models import Answer
from ragvigil_dashboards.oncall import session
from ragvigil_dashboards.oncall.trace_search import trace_id_in


def draw(client: Client) -> None:
    """Draw the answers of the trace that the address names; `?trace_id=` is the deep link."""
    typed = st.text_input("Trace id", key="trace_id", placeholder="32 hex digits", bind="query-params", width=340)
    if not typed:
        session.show(nothing("Which answer?", "Paste a trace id above, or follow a link from an alert or a list."))
        return
    trace_id = trace_id_in(typed)
    if trace_id is None:
        session.show(problem("That is no trace id: 32 hex digits are."))
        return
    with session.problems_shown():
        answers = client.answer(trace_id)
        reviewed = client.evidence(trace_id)
        for answer in answers:
            _one(answer, [each for each in reviewed if each.span_id == answer.span_id])


def _one(answer: Answer, reviewed: Sequence[ReviewedRetrieval]) -> None:
    session.show(question_and_answer(answer))
    session.show(facts(answer, session.reader()))
    session.show(tag("h2", "What reviewers found of the evidence"))
    session.show(reviewed_evidence(reviewed))
    if not answer.spans:
        session.show(nothing("Its spans are gone.", "They were removed for their age (retention.spans_days)."))
        return
    session.show(tag("h2", "What each stage did to the evidence"))
    session.show(losses_table(answer.spans, answer.citations))
    session.show(tag("h2", "Where the time went"))
    session.show(waterfall.draw(answer.spans))
    session.show(tag("h2", "Stages in full"))
    session.show(stage_details(answer.spans))
