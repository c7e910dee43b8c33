import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ragvigil
from ragvigil import attributes as names
from ragvigil.testing import InMemoryExporter, SequentialIds, SpanSnapshot, strict
from ragvigil_monitor.demo.access import TEAMS, may_read
from ragvigil_monitor.demo.app import App, Request
from ragvigil_monitor.demo.clock import SimulatedClock
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.embedding import DIMENSION
from ragvigil_monitor.demo.incidents import Incident, cost_rise, new_topic, regenerations, slow_reranker
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.parts import Parts

STAGES = ["rewrite", "embed", "filter", "retrieve", "rerank", "assemble", "generate"]


@pytest.fixture
def exporter(now: datetime) -> Iterator[InMemoryExporter]:
    with strict():
        yield InMemoryExporter()
        assert ragvigil.shutdown()


def request_at(now: datetime, question: str, team: str = "platform", number: int = 1) -> Request:
    return Request(question, "lookup", "u001", team, "s1", now, dice("test", number))


def spans_of(
    exporter: InMemoryExporter, library: Library, parts: Parts, *requests: Request
) -> list[dict[str, SpanSnapshot]]:
    """The spans of each request by name, answered by a fresh app on a fresh clock."""
    clock = SimulatedClock(requests[0].at)
    ragvigil.configure(
        service_name="demo", exporter=exporter, clock=clock, ids=SequentialIds(), secret_key=b"0123456789abcdef"
    )
    exporter.spans.clear()
    app = App(library, clock.wait_ms)
    for request in requests:
        app.answer(request, parts)
    assert ragvigil.flush()
    traces = dict.fromkeys(span.trace_id for span in exporter.spans)
    return [{span.name: span for span in exporter.spans if span.trace_id == trace} for trace in traces]


@pytest.fixture
def answered(exporter: InMemoryExporter, library: Library, healthy: Parts, now: datetime) -> dict[str, SpanSnapshot]:
    asked = request_at(now, "What does the function loads do in the json module?", team="web")
    (spans,) = spans_of(exporter, library, healthy, asked)
    return spans


def ids_in(span: SpanSnapshot, attribute: str) -> list[str]:
    return [document["id"] for document in json.loads(span.attributes[attribute])]


def test_an_answer_has_seven_stages_below_it_in_order(answered: dict[str, SpanSnapshot]) -> None:
    stages = [span for span in answered.values() if names.STAGE in span.attributes]
    stages.sort(key=lambda span: span.start_ns)
    assert [span.attributes[names.STAGE] for span in stages] == STAGES
    assert {span.parent_id for span in stages} == {answered["ask"].span_id}
    assert sum(span.duration_s for span in stages) == pytest.approx(answered["ask"].duration_s)


def test_the_answer_says_who_asked_what_and_what_was_said(answered: dict[str, SpanSnapshot]) -> None:
    said = answered["ask"].attributes
    assert said[names.INPUT_VALUE] == "What does the function loads do in the json module?"
    assert said[names.OUTPUT_VALUE].startswith("Deserialize")
    assert (said[names.INTENT], said[names.SESSION_ID], said[names.SLICE_PREFIX + "team"]) == ("lookup", "s1", "web")
    assert said[names.REFUSAL] is False
    assert 0 < said[names.CONFIDENCE] <= 1
    assert json.loads(said[names.CITATIONS])[0]["doc_id"].startswith("json.load")


def test_the_filter_of_the_retrieval_is_known_and_its_entitlement_protected(
    answered: dict[str, SpanSnapshot],
) -> None:
    said = answered["retrieve"].attributes
    assert said[names.FILTER_STATE] == "known"
    clauses = json.loads(said[names.FILTER_CLAUSES])
    assert [(clause["role"], clause["origin"]) for clause in clauses] == [
        ("entitlement", "caller"),
        ("relevance", "rule"),
        ("relevance", "rule"),
    ]
    leaves = json.loads(said[names.FILTER_AST])["args"]
    assert [leaf["field"] for leaf in leaves] == ["readers", "package", "kind"]
    assert "value_hmac" in leaves[0]
    assert "value" not in leaves[0]


def test_documents_flow_from_stage_to_stage(answered: dict[str, SpanSnapshot]) -> None:
    found = ids_in(answered["retrieve"], names.STAGE_OUTPUT_DOCUMENTS)
    ranked = ids_in(answered["rerank"], names.STAGE_OUTPUT_DOCUMENTS)
    assert ids_in(answered["rerank"], names.STAGE_INPUT_DOCUMENTS) == found
    assert set(ranked) <= set(found)
    assert ids_in(answered["assemble"], names.STAGE_INPUT_DOCUMENTS) == ranked
    context = answered["assemble"].attributes[names.CONTEXT_DOC_IDS]
    assert list(context) == ranked[: len(context)]


def test_model_calls_tell_tokens_cost_and_first_token(answered: dict[str, SpanSnapshot]) -> None:
    said = answered["generate"].attributes
    assert said[names.USAGE_INPUT_TOKENS] > 240
    assert said[names.USAGE_OUTPUT_TOKENS] > 0
    assert 0.0001 < said[names.STAGE_COST] < 0.05
    assert 0 < said[names.TIME_TO_FIRST_CHUNK] < answered["generate"].duration_s
    assert answered["embed"].attributes[names.STAGE_COST] > 0
    assert answered["rerank"].attributes[names.STAGE_COST] > 0


def test_the_query_vector_travels_as_float32(answered: dict[str, SpanSnapshot]) -> None:
    vector = np.frombuffer(answered["embed"].attributes[names.QUERY_VECTOR], dtype="<f4")
    assert vector.shape == (DIMENSION,)
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


def test_a_question_asked_again_hits_the_embedding_cache_and_costs_no_embedding(
    exporter: InMemoryExporter, library: Library, healthy: Parts, now: datetime
) -> None:
    asked = [request_at(now, "What is json.loads good for?", number=number) for number in (1, 2)]
    first, second = spans_of(exporter, library, healthy, *asked)
    assert first["embed"].attributes[names.CACHE_EMBEDDING_HIT] is False
    assert second["embed"].attributes[names.CACHE_EMBEDDING_HIT] is True
    assert names.STAGE_COST not in second["embed"].attributes
    assert second["embed"].attributes[names.QUERY_VECTOR] == first["embed"].attributes[names.QUERY_VECTOR]
    assert second["embed"].duration_s < first["embed"].duration_s


def test_a_question_about_what_the_team_may_not_read_is_refused(
    exporter: InMemoryExporter, library: Library, healthy: Parts, now: datetime
) -> None:
    asked = request_at(now, "What does the function match do in the re module?", team="web")
    forbidden = request_at(now, "When does the class Cookie in the asyncio module raise ValueError?", team="data")
    allowed, refused = spans_of(exporter, library, healthy, asked, forbidden)
    assert allowed["ask"].attributes[names.REFUSAL] is False
    assert refused["ask"].attributes[names.REFUSAL] is True
    assert json.loads(refused["retrieve"].attributes[names.STAGE_OUTPUT_DOCUMENTS]) == []
    assert json.loads(refused["ask"].attributes.get(names.CITATIONS, "[]")) == []


@pytest.mark.parametrize("question", ["", "?", "\x00\ud800", "x" * 100_000], ids=["empty", "mark", "hostile", "huge"])
def test_any_question_gets_an_answer(
    exporter: InMemoryExporter, library: Library, healthy: Parts, now: datetime, question: str
) -> None:
    (spans,) = spans_of(exporter, library, healthy, request_at(now, question))
    assert len(spans) == len(STAGES) + 1
    assert spans["ask"].status != "error"


def comparable(span: SpanSnapshot) -> dict[str, Any]:
    """What an incident may not change: everything but time and money."""
    changing = {names.STAGE_COST, names.LLM_COST_TOTAL, names.TIME_TO_FIRST_CHUNK, names.ANSWER_ID}
    return {name: value for name, value in span.attributes.items() if name not in changing}


@pytest.mark.parametrize(
    "incident", [slow_reranker, cost_rise, new_topic, regenerations], ids=lambda incident: incident.kind
)
def test_an_incident_changes_only_its_own_number(
    exporter: InMemoryExporter, library: Library, healthy: Parts, now: datetime, incident: Incident
) -> None:
    questions = ("What is json.loads good for?", "How do I copy a file with shutil?")

    def answered_by(parts: Parts) -> list[dict[str, SpanSnapshot]]:
        asked = [request_at(now, text, number=number) for number, text in enumerate(questions)]
        return spans_of(exporter, library, parts, *asked)

    for before, after in zip(answered_by(healthy), answered_by(incident.change(healthy)), strict=True):
        assert {name: comparable(span) for name, span in before.items()} == {
            name: comparable(span) for name, span in after.items()
        }
        for name in STAGES:
            slower = after[name].duration_s / before[name].duration_s
            assert slower == pytest.approx(2.5 if (incident.kind, name) == ("slow_reranker", "rerank") else 1, rel=1e-6)
            cost = before[name].attributes.get(names.STAGE_COST)
            factor = 1.4 if incident.kind == "cost_rise" else 1
            if cost is not None:
                assert after[name].attributes[names.STAGE_COST] == pytest.approx(factor * cost)


@given(
    team=st.sampled_from([team for team in TEAMS if TEAMS[team] is not None]),
    about=st.integers(0, 5000),
    form=st.sampled_from(["What is {} good for?", "Please explain {}", "{}", "How do I {} in the os module?"]),
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_stage_ever_sees_what_the_team_may_not_read(
    exporter: InMemoryExporter, library: Library, healthy: Parts, now: datetime, team: str, about: int, form: str
) -> None:
    entries = list(library.entries.values())
    asked = request_at(now, form.format(entries[about % len(entries)].id), team=team)
    (spans,) = spans_of(exporter, library, healthy, asked)
    seen = {
        *ids_in(spans["retrieve"], names.STAGE_OUTPUT_DOCUMENTS),
        *ids_in(spans["rerank"], names.STAGE_INPUT_DOCUMENTS),
        *ids_in(spans["rerank"], names.STAGE_OUTPUT_DOCUMENTS),
        *spans["assemble"].attributes[names.CONTEXT_DOC_IDS],
    }
    assert all(may_read(team, library.entries[name].package) for name in seen)


def test_without_configuration_the_app_answers_all_the_same(library: Library, healthy: Parts, now: datetime) -> None:
    clock = SimulatedClock(now)
    answered = App(library, clock.wait_ms).answer(request_at(now, "What is json.loads good for?"), healthy)
    assert not answered.reply.refused
    assert (answered.answer_id, answered.token) == ("", None)
    assert clock.monotonic_ns() > 0
    assert ragvigil.counts().started == 0


def test_times_and_money_of_an_answer_follow_its_dice(
    exporter: InMemoryExporter, library: Library, healthy: Parts, now: datetime
) -> None:
    one, again, other = (
        spans_of(exporter, library, healthy, request_at(now, "What is json.loads good for?", number=number))[0]
        for number in (1, 1, 2)
    )
    assert [span.duration_s for span in one.values()] == [span.duration_s for span in again.values()]
    assert one["generate"].attributes[names.STAGE_COST] == again["generate"].attributes[names.STAGE_COST]
    assert [span.duration_s for span in one.values()] != [span.duration_s for span in other.values()]
