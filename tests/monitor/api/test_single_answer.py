"""Everything about the answers of one trace."""

import json
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.stores import Sample
from tests.samples.world import World

from ragvigil import attributes as names
from ragvigil_monitor.api.answer_details import owners_of

TRACE = bytes(15) + b"\x01"
TRACE_ID = TRACE.hex()


def test_an_answer_comes_with_its_stages_in_order(sampled: World, shared_sample: Sample) -> None:
    (answer,) = sampled.get(f"/answers/{shared_sample.newest_trace_id}")
    assert [span["stage"] for span in answer["spans"]] == [None, "embed", "retrieve", "rerank", "generate"]
    offsets = [span["offset_ms"] for span in answer["spans"]]
    assert offsets == sorted(offsets)
    assert answer["citations"] == ["returns-004", "returns-011"]
    assert answer["slices"].keys() == {"team"}


def test_a_filter_is_said_in_words_with_its_roles(sampled: World, shared_sample: Sample) -> None:
    (answer,) = sampled.get(f"/answers/{shared_sample.newest_trace_id}")
    retrieve = answer["spans"][2]
    assert retrieve["filter_state"] == "known"
    assert retrieve["filter_in_words"] == [
        "team is one of 2 protected values (entitlement)",
        "kind is policy (relevance, rule)",
    ]


def test_documents_keep_their_order_and_scores(sampled: World, shared_sample: Sample) -> None:
    (answer,) = sampled.get(f"/answers/{shared_sample.newest_trace_id}")
    rerank = answer["spans"][3]
    assert rerank["output_documents"][0] == {"id": "returns-004", "score": 7.4}
    assert (len(rerank["input_documents"]), len(rerank["output_documents"])) == (20, 5)


def test_capitals_in_a_trace_id_do_not_matter(sampled: World, shared_sample: Sample) -> None:
    trace_id = shared_sample.newest_trace_id
    assert sampled.get(f"/answers/{trace_id.upper()}") == sampled.get(f"/answers/{trace_id}")


def test_several_answers_of_a_trace_keep_their_own_stages(empty: World) -> None:
    empty.put(
        answers=[
            {"span_id": b"answer01", "answer_id": "first"},
            {"span_id": b"answer02", "answer_id": "second", "started_at": empty.ago(minutes=4)},
        ],
        spans=[
            {"span_id": b"stage001", "answer_span_id": b"answer01", "name": "one"},
            {"span_id": b"stage002", "answer_span_id": b"answer02", "name": "two"},
            {"span_id": b"sdk-leaf", "parent_span_id": b"stage002", "name": "leaf"},
            {"span_id": b"http-in1", "name": "above"},
        ],
    )
    first, second = empty.get(f"/answers/{TRACE_ID}")
    assert (first["answer_id"], [span["name"] for span in first["spans"]]) == ("first", ["one"])
    assert (second["answer_id"], {span["name"] for span in second["spans"]}) == ("second", {"two", "leaf"})


@pytest.mark.parametrize("days", [0.5, 3, 30, 80])
def test_an_answer_of_the_last_90_days_is_found_without_a_hint(empty: World, days: float) -> None:
    empty.put(answers=[{"started_at": empty.ago(days=days)}])
    assert len(empty.get(f"/answers/{TRACE_ID}")) == 1


def test_an_older_answer_needs_a_hint(empty: World) -> None:
    empty.put(answers=[{"started_at": empty.ago(days=200)}])
    status, detail = empty.refusal(f"/answers/{TRACE_ID}")
    assert (status, "last 90 days" in detail) == (404, True)
    near = (empty.now - timedelta(days=200, minutes=50)).isoformat()
    assert len(empty.get(f"/answers/{TRACE_ID}", started_at=near)) == 1


def test_a_wrong_hint_finds_nothing(empty: World) -> None:
    empty.put(answers=[{}])
    status, detail = empty.refusal(f"/answers/{TRACE_ID}", started_at="2026-11-29T00:00:00Z")
    assert (status, "within an hour" in detail) == (404, True)


def test_an_answer_whose_clock_runs_a_little_ahead_is_found(empty: World) -> None:
    empty.put(answers=[{"started_at": empty.ago(minutes=-30)}])
    assert len(empty.get(f"/answers/{TRACE_ID}")) == 1


@pytest.mark.parametrize(
    "trace_id", ["0" * 31, "0" * 33, "g" * 32, " " * 32, "0 " * 16, "é" * 32, "%00" * 32, "x" * 5000]
)
def test_a_malformed_trace_id_is_refused(sampled: World, trace_id: str) -> None:
    status, detail = sampled.refusal(f"/answers/{trace_id}")
    assert status == 422
    assert detail.startswith("A trace id is 32 hex digits; got ")
    assert len(detail) < 400


@pytest.mark.parametrize("hint", ["2026-11-29T00:00:00", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "noon"])
def test_a_hint_that_is_no_time_is_refused(sampled: World, hint: str) -> None:
    assert sampled.refusal(f"/answers/{TRACE_ID}", started_at=hint)[0] == 422


@pytest.mark.parametrize(
    ("column", "value", "field", "expected"),
    [
        ("filter_ast", '{"op": "eq"}', "filter_in_words", ["unknown filter"]),
        ("filter_ast", "[]", "filter_in_words", ["unknown filter"]),
        ("filter_ast", None, "filter_in_words", ["unknown filter"]),
        ("output_documents", None, "output_documents", None),
        ("output_documents", "[]", "output_documents", []),
        ("attributes", None, "attributes", {}),
        ("attributes", json.dumps({"a": ["<script>", None]}), "attributes", {"a": ["<script>", None]}),
    ],
)
def test_what_is_missing_or_unreadable_is_said_and_breaks_nothing(
    empty: World, column: str, value: str | None, field: str, expected: Any
) -> None:
    stage = {"span_id": b"stage001", "answer_span_id": b"answer01", "stage": "retrieve", "filter_state": "known"}
    empty.put(answers=[{"span_id": b"answer01"}], spans=[{**stage, column: value}])
    assert empty.get(f"/answers/{TRACE_ID}")[0]["spans"][0][field] == expected


def test_a_stage_without_a_filter_has_no_words_for_it(empty: World) -> None:
    stage = {"span_id": b"stage001", "answer_span_id": b"answer01", "stage": "retrieve", "filter_state": "none"}
    empty.put(answers=[{"span_id": b"answer01"}], spans=[stage])
    span = empty.get(f"/answers/{TRACE_ID}")[0]["spans"][0]
    assert (span["filter_state"], span["filter_in_words"]) == ("none", [])


@pytest.mark.parametrize("citations", ["5", "{}", "null", '["a"]', '[{"rank": 1}]', None])
def test_citations_that_are_missing_or_unreadable_are_unknown(empty: World, citations: str | None) -> None:
    empty.put(answers=[{"citations": citations}])
    assert empty.get(f"/answers/{TRACE_ID}")[0]["citations"] is None


def test_an_answer_that_cites_nothing_says_so(empty: World) -> None:
    empty.put(answers=[{"citations": "[]"}])
    assert empty.get(f"/answers/{TRACE_ID}")[0]["citations"] == []


def test_what_the_generator_saw_counts_as_the_output_of_the_stage_that_assembled_it(empty: World) -> None:
    attributes = {names.CONTEXT_DOC_IDS: ["b", "a"], names.CONTEXT_TOKENS: 900, names.CONTEXT_TRUNCATED: True}
    stage = {"span_id": b"stage001", "answer_span_id": b"answer01", "attributes": json.dumps(attributes)}
    empty.put(answers=[{"span_id": b"answer01"}], spans=[stage])
    span = empty.get(f"/answers/{TRACE_ID}")[0]["spans"][0]
    assert [document["id"] for document in span["output_documents"]] == ["b", "a"]
    assert (span["context_tokens"], span["context_truncated"]) == (900, True)


def test_a_context_of_another_type_is_no_context(empty: World) -> None:
    attributes = {names.CONTEXT_DOC_IDS: "b", names.CONTEXT_TOKENS: "many", names.CONTEXT_TRUNCATED: 1}
    stage = {"span_id": b"stage001", "answer_span_id": b"answer01", "attributes": json.dumps(attributes)}
    empty.put(answers=[{"span_id": b"answer01"}], spans=[stage])
    span = empty.get(f"/answers/{TRACE_ID}")[0]["spans"][0]
    assert span["output_documents"] is None
    assert span["context_tokens"] is span["context_truncated"] is None


def test_probes_are_not_part_of_the_answer(empty: World) -> None:
    probe = {"span_id": b"probe001", "answer_span_id": b"answer01", "probe_id": "p-1"}
    empty.put(answers=[{"span_id": b"answer01"}], spans=[probe])
    assert empty.get(f"/answers/{TRACE_ID}")[0]["spans"] == []


ids = st.integers(0, 9)


@given(st.lists(st.tuples(ids, ids, st.none() | ids), max_size=12, unique_by=lambda span: span[0]), st.sets(ids))
def test_owners_are_answers_whatever_the_parents_are(
    spans: list[tuple[int, int, int | None]], answers: set[int]
) -> None:
    rows = [
        {
            "span_id": bytes([own]),
            "parent_span_id": bytes([parent]),
            "answer_span_id": None if a is None else bytes([a]),
        }
        for own, parent, a in spans
    ]
    owners = owners_of(rows, {bytes([answer]) for answer in answers})
    assert set(owners) <= {row["span_id"] for row in rows}
    assert all(owner[0] in answers for owner in owners.values())
    assert all(owners[bytes([own])] == bytes([own]) for own, _, _ in spans if own in answers)
