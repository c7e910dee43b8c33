"""Facts that a stage or an answer can be told, one attribute each."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil import where
from ragvigil.predicates import Predicate, eq, not_
from ragvigil.testing import InMemoryExporter

Exported = Callable[[], InMemoryExporter]

NEW_YEAR = datetime(2026, 1, 1, 1, 30, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("stage", "fact", "attribute", "written"),
    [
        ("retrieve", {"retrieval_turn": 2}, names.RETRIEVAL_TURN, 2),
        ("retrieve", {"index_committed_at": NEW_YEAR}, names.INDEX_COMMITTED_AT, "2026-01-01T00:30:00+00:00"),
        ("retrieve", {"data_source": "handbook"}, names.DATA_SOURCE_ID, "handbook"),
        ("rerank", {"reranker_device": "cuda:0"}, names.RERANKER_DEVICE, "cuda:0"),
        ("rerank", {"reranker_batch_size": 32}, names.RERANKER_BATCH_SIZE, 32),
    ],
    ids=lambda value: str(value) if isinstance(value, str) else "",
)
def test_a_fact_of_a_stage(exported: Exported, stage: str, fact: Any, attribute: str, written: object) -> None:
    with ragvigil.stage(stage) as s:
        s.set(**fact)
    span = exported().one(stage)
    assert span.attributes[attribute] == written
    assert span.dropped_attributes == 0


@pytest.mark.parametrize(
    ("fact", "attribute"),
    [
        ({"experiment_id": "soft-filters"}, names.EXPERIMENT_ID),
        ({"experiment_arm": "soft"}, names.EXPERIMENT_ARM),
        ({"budget_exhausted": True}, names.BUDGET_EXHAUSTED),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_fact_of_an_answer(exported: Exported, fact: Any, attribute: str) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(**fact)
    assert exported().one("ask").attributes[attribute] == next(iter(fact.values()))


def test_the_unit_of_an_experiment_is_hashed_like_the_user_that_it_may_be(exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(experiment_unit="user-81", user_id="user-81")
    attributes = exported().one("ask").attributes
    assert attributes[names.EXPERIMENT_UNIT] == attributes[names.USER_ID] != "user-81"


@pytest.mark.parametrize("committed_at", [datetime(2026, 1, 1), "yesterday", 5, float("nan")])  # noqa: DTZ001
def test_a_time_without_a_zone_is_left_out_and_counted(exported: Exported, lenient: None, committed_at: Any) -> None:
    with ragvigil.stage("retrieve") as s:
        s.set(index_committed_at=committed_at, index_version="7")
    span = exported().one("retrieve")
    assert names.INDEX_COMMITTED_AT not in span.attributes
    assert span.attributes[names.INDEX_VERSION] == "7"
    assert span.dropped_attributes == 1


def test_a_time_at_the_edge_of_the_calendar_costs_only_itself(exported: Exported, lenient: None) -> None:
    with ragvigil.stage("retrieve") as s:
        s.set(index_committed_at=datetime.max.replace(tzinfo=timezone(-timedelta(hours=1))), top_k=3)
    span = exported().one("retrieve")
    assert span.attributes[names.RETRIEVAL_TOP_K] == 3
    assert span.dropped_attributes == 1


def test_several_searches_of_one_answer_are_told_apart(exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        for turn in (1, 2):
            with ragvigil.stage("retrieve") as s:
                s.set(retrieval_turn=turn)
        answer.set(budget_exhausted=False)
    found = exported()
    assert [span.attributes[names.RETRIEVAL_TURN] for span in found.named("retrieve")] == [1, 2]
    assert found.one("ask").attributes[names.BUDGET_EXHAUSTED] is False


def test_a_regenerated_answer_is_named_by_the_token_that_the_client_has(exported: Exported) -> None:
    with ragvigil.pipeline("first") as first:
        token = first.token()
    with ragvigil.pipeline("second") as second:
        second.set(regeneration_of=token, question="again")
    span = exported().one("second")
    assert span.attributes[names.REGENERATION_OF] == first.id
    assert span.links == [(exported().one("first").trace_id, exported().one("first").span_id)]
    assert span.attributes[names.INPUT_VALUE] == "again"


def test_a_token_that_is_not_ours_names_no_answer_and_is_counted(exported: Exported) -> None:
    with ragvigil.pipeline("first") as first:
        token = first.token()
    assert token is not None
    with ragvigil.pipeline("second") as second:
        second.set(regeneration_of=token[:-1] + ("A" if token[-1] != "A" else "B"), confidence=0.5)
    span = exported().one("second")
    assert names.REGENERATION_OF not in span.attributes
    assert (span.links, span.dropped_attributes, span.attributes[names.CONFIDENCE]) == ([], 1, 0.5)


def test_times_of_any_zone_are_written_in_utc(exported: Exported) -> None:
    for zone in (UTC, timezone(timedelta(hours=-11))):
        with ragvigil.stage("retrieve") as s:
            s.set(index_committed_at=datetime(2026, 6, 1, 12, tzinfo=UTC).astimezone(zone))
    written = {span.attributes[names.INDEX_COMMITTED_AT] for span in exported().spans}
    assert written == {"2026-06-01T12:00:00+00:00"}


@pytest.mark.parametrize("kind", ["AGENT", "EVALUATOR", "GUARDRAIL", "TOOL"])
def test_a_stage_of_ones_own_may_have_a_kind(exported: Exported, kind: Any) -> None:
    @ragvigil.stage("check", kind=kind)
    def check() -> None:
        """Check."""

    check()
    with ragvigil.stage("check", kind=kind):
        pass
    for span in exported().named("check"):
        assert (span.attributes[names.SPAN_KIND], span.attributes[names.STAGE]) == (kind, "check")
        assert span.dropped_attributes == 0


@pytest.mark.parametrize(
    ("stage", "kind", "expected"),
    [("retrieve", "TOOL", "RETRIEVER"), ("check", "RETRIEVER", "CHAIN"), ("check", ["TOOL"], "CHAIN")],
)
def test_a_kind_that_cannot_be_is_counted(
    exported: Exported, lenient: None, stage: str, kind: Any, expected: str
) -> None:
    with ragvigil.stage(stage, kind=kind):
        pass
    span = exported().one(stage)
    assert span.attributes[names.SPAN_KIND] == expected
    assert span.dropped_attributes == 1


def test_numbers_of_documents_are_recorded_where_their_ids_are_not_known(exported: Exported) -> None:
    with ragvigil.stage("filter") as s:
        s.set(input_count=50_000, output_count=1200)
    with ragvigil.stage("rerank") as s:
        s.set(input_count=7, output_count=7)
        s.outputs(["a", "b"])
    attributes = exported().one("filter").attributes
    assert (attributes[names.STAGE_INPUT_COUNT], attributes[names.STAGE_OUTPUT_COUNT]) == (50_000, 1200)
    attributes = exported().one("rerank").attributes
    assert (attributes[names.STAGE_INPUT_COUNT], attributes[names.STAGE_OUTPUT_COUNT]) == (7, 2)


def test_what_is_too_deep_to_be_written_is_an_opaque_part_and_costs_no_span(lenient: None) -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter)
    deep: Predicate = eq("language", "en")
    for _ in range(3000):
        deep = not_(deep)
    with ragvigil.pipeline("ask"), ragvigil.stage("retrieve") as stage:
        stage.filter(where(deep))
    assert ragvigil.flush()
    assert len(exporter.spans) == 2
    span = exporter.one("retrieve")
    assert (span.attributes[names.FILTER_STATE], span.dropped_attributes) == ("partial", 0)
