"""Nested and doubled instrumentations tell of one step; it counts once."""

import json
from datetime import timedelta
from typing import Any

import pytest
from tests.samples.otlp import NOW, documents_json, flattened, span, span_id

from ragvigil import attributes as names

USAGE = {names.USAGE_INPUT_TOKENS: 100, names.USAGE_OUTPUT_TOKENS: 10}
FOUND = [("a", 0.5), ("b", 0.25)]


def of_kind(kind: str, number: int, attributes: Any = (), **given: Any) -> Any:
    return span(number, {names.SPAN_KIND: kind, **dict(attributes)}, **given)


def staged(seen: Any, stage: str) -> list[int]:
    return [int.from_bytes(row["span_id"]) for row in seen.spans(stage)]


def tokens(seen: Any) -> int:
    return sum(row["input_tokens"] or 0 for row in seen.spans())


def test_of_nested_calls_the_deepest_counts_and_its_tokens_once(settled: Any) -> None:
    seen = settled(
        of_kind("AGENT", 1, USAGE),
        of_kind("LLM", 2, {**USAGE, names.LLM_COST_TOTAL: 0.5}, parent=1),
        of_kind("LLM", 3, {**USAGE, names.LLM_COST_TOTAL: 0.5}, parent=2),
    )
    assert (staged(seen, "generate"), tokens(seen), seen.cost_usd()) == ([3], 100, 0.5)


def test_what_the_others_said_is_kept_beside(settled: Any) -> None:
    seen = settled(of_kind("AGENT", 1, {**USAGE, "other": 1}), of_kind("LLM", 2, USAGE, parent=1))
    told = json.loads(seen.spans()[0]["attributes"])
    assert told["otel.repeated_usage"] == {"input_tokens": 100, "output_tokens": 10}
    assert told["other"] == 1


def test_only_those_that_know_the_tokens_count(settled: Any) -> None:
    seen = settled(of_kind("CHAIN", 1), of_kind("LLM", 2, USAGE, parent=1), of_kind("LLM", 3, parent=2))
    assert (staged(seen, "generate"), tokens(seen)) == ([2], 100)


def test_one_after_the_other_they_all_count(settled: Any) -> None:
    seen = settled(of_kind("CHAIN", 1), of_kind("LLM", 2, USAGE, parent=1), of_kind("LLM", 3, USAGE, parent=1))
    assert (staged(seen, "generate"), tokens(seen)) == ([2, 3], 200)


@pytest.mark.parametrize(("ids", "counted"), [(("r1", "r1"), [2]), (("r1", "r2"), [2, 3])], ids=str)
def test_one_response_counts_once(settled: Any, ids: tuple[str, str], counted: list[int]) -> None:
    calls = [
        of_kind("LLM", number, {**USAGE, names.RESPONSE_ID: response}, parent=1)
        for number, response in zip((2, 3), ids, strict=True)
    ]
    seen = settled(of_kind("CHAIN", 1), *calls)
    assert (staged(seen, "generate"), tokens(seen)) == (counted, 100 * len(counted))


def test_the_id_of_an_outer_call_is_that_of_the_call_inside_it_that_counts(settled: Any) -> None:
    of_response = {names.RESPONSE_ID: "r0"}
    seen = settled(
        of_kind("CHAIN", 1),
        of_kind("LLM", 2, {**of_response, names.USAGE_INPUT_TOKENS: 101, names.USAGE_OUTPUT_TOKENS: 11}, parent=1),
        of_kind("LLM", 3, {names.USAGE_INPUT_TOKENS: 101}, parent=2),
        of_kind("LLM", 4, {**of_response, names.USAGE_OUTPUT_TOKENS: 11}, parent=1),
    )
    assert staged(seen, "generate") == [3]
    assert (tokens(seen), sum(row["output_tokens"] or 0 for row in seen.spans())) == (101, 11)


def test_a_call_inside_another_repeats_the_earlier_one_with_the_id_of_that(settled: Any) -> None:
    of_response = {names.RESPONSE_ID: "r0"}
    seen = settled(
        of_kind("CHAIN", 1),
        of_kind("LLM", 2, {**USAGE, **of_response}, parent=1),
        of_kind("LLM", 3, {**of_response, names.LLM_COST_TOTAL: 0.5}, parent=1),
        of_kind("LLM", 4, USAGE, parent=3),
    )
    assert (staged(seen, "generate"), tokens(seen), seen.cost_usd()) == ([2], 100, 0.5)


def test_a_stage_is_given_back_when_a_later_span_shows_that_it_counts(
    settled: Any, store_spans: Any, settle: Any
) -> None:
    seen = settled(of_kind("CHAIN", 1), of_kind("LLM", 2, USAGE, parent=1), of_kind("LLM", 3, parent=2))
    assert staged(seen, "generate") == [2]
    assert json.loads(seen.spans()[2]["attributes"])["otel.repeated_stage"] == "generate"
    store_spans(of_kind("LLM", 4, {names.USAGE_INPUT_TOKENS: 70}, parent=2))
    seen = settle(after_s=90)
    assert (staged(seen, "generate"), tokens(seen)) == ([3, 4], 70)
    assert "otel.repeated_stage" not in json.loads(seen.spans()[2]["attributes"])


def test_parts_that_arrive_later_do_not_count_again(settled: Any, store_spans: Any, settle: Any) -> None:
    seen = settled(of_kind("CHAIN", 1), of_kind("LLM", 2, USAGE, parent=1))
    assert (staged(seen, "generate"), tokens(seen)) == ([2], 100)
    store_spans(of_kind("LLM", 3, USAGE, parent=2))
    seen = settle(after_s=90)
    assert (staged(seen, "generate"), tokens(seen)) == ([3], 100)
    assert seen.spans()[-1]["answer_span_id"] == span_id(1)


def test_an_embedding_with_tokens_leaves_those_of_the_chain_to_be_told_by_the_calls(settled: Any) -> None:
    seen = settled(
        of_kind("CHAIN", 1),
        of_kind("EMBEDDING", 2, {names.USAGE_INPUT_TOKENS: 5}, parent=1),
        of_kind("LLM", 3, USAGE, parent=1),
    )
    assert (staged(seen, "embed"), staged(seen, "generate"), tokens(seen)) == ([2], [3], 105)


def test_of_nested_searches_the_deepest_with_documents_counts_and_knows_what_was_asked(settled: Any) -> None:
    found = {names.GENAI_RETRIEVAL_DOCUMENTS: documents_json(FOUND)}
    seen = settled(
        of_kind("CHAIN", 1),
        of_kind("RETRIEVER", 2, {names.INPUT_VALUE: "why", **found}, parent=1),
        of_kind("RETRIEVER", 3, found, parent=2),
        of_kind("RETRIEVER", 4, parent=3),
        of_kind("LLM", 5, parent=1),
    )
    (search,) = seen.spans("retrieve")
    assert (search["span_id"], search["query_text"]) == (span_id(3), "why")


def test_a_reranker_keeps_what_it_was_given_and_what_it_returned(settled: Any) -> None:
    told = {
        **flattened(names.RERANKER_INPUT_DOCUMENTS, FOUND),
        **flattened(names.RERANKER_OUTPUT_DOCUMENTS, FOUND[:1]),
        names.RERANKER_QUERY: "why",
    }
    (ranked,) = settled(of_kind("CHAIN", 1), of_kind("RERANKER", 2, told, parent=1), of_kind("LLM", 3, parent=1)).spans(
        "rerank"
    )
    assert [each["id"] for each in json.loads(ranked["input_documents"])] == ["a", "b"]
    assert [each["id"] for each in json.loads(ranked["output_documents"])] == ["a"]
    assert (ranked["query_text"], ranked["answer_span_id"]) == ("why", span_id(1))


@pytest.mark.parametrize("stage", ["generate", "draft"])
def test_ragvigils_own_stage_goes_before_what_others_say_of_it(settled: Any, stage: str) -> None:
    own = {names.ANSWER_SPAN_ID: span_id(1).hex(), names.STAGE: stage, names.STAGE_COST: 0.5, **USAGE}
    seen = settled(
        span(1, {names.ANSWER_ID: "mine", names.SPAN_KIND: "CHAIN"}),
        of_kind("LLM", 2, own, parent=1),
        of_kind("LLM", 3, {**USAGE, names.LLM_COST_TOTAL: 0.5}, parent=2),
        of_kind("LLM", 4, {**USAGE, names.LLM_COST_TOTAL: 0.5}, parent=3),
    )
    assert (staged(seen, stage), tokens(seen), seen.cost_usd()) == ([2], 100, 0.5)
    assert [row["stage"] for row in seen.spans()].count(None) == 3


def said(number: int, trace: int, text: str, after_ms: float, **given: Any) -> Any:
    told = {**USAGE, names.INPUT_VALUE: "prompt", names.OUTPUT_VALUE: text}
    started_at = NOW + timedelta(milliseconds=after_ms)
    return of_kind("LLM", number, told, trace=trace, started_at=started_at, **given)


@pytest.mark.parametrize(
    ("text", "after_ms", "counted"),
    [("same", 10, 1), ("other", 10, 2), ("same", 200, 2)],
    ids=["told twice", "another answer", "another time"],
)
def test_a_call_in_a_trace_of_its_own_may_be_one_that_a_chain_tells_of(
    settled: Any, text: str, after_ms: float, counted: int
) -> None:
    seen = settled(of_kind("CHAIN", 1), said(2, 1, "same", 5, parent=1), said(3, 2, text, after_ms, duration_ms=20))
    assert len(seen.answers()) == len(seen.spans("generate")) == counted
    assert tokens(seen) == 100 * counted


def test_a_call_that_was_told_of_elsewhere_is_no_answer_later_either(settled: Any, settle: Any) -> None:
    settled(of_kind("CHAIN", 1), said(2, 1, "same", 5, parent=1), said(3, 2, "same", 10, duration_ms=20))
    assert len(settle(after_s=600).answers()) == 1


def test_one_call_with_one_response_that_two_spans_of_a_trace_tell_of_counts_once(settled: Any) -> None:
    told = {names.RESPONSE_ID: "r", names.INPUT_VALUE: "q", names.OUTPUT_VALUE: "a", **USAGE}
    seen = settled(
        of_kind("CHAIN", 1),
        of_kind("LLM", 2, told, parent=1),
        of_kind("LLM", 3, told, parent=1, started_at=NOW + timedelta(milliseconds=5)),
    )
    assert [row["input_tokens"] for row in seen.spans("generate")] == [100]


def test_a_response_that_two_traces_tell_of_counts_once_though_nobody_tells_what_was_said(settled: Any) -> None:
    told = {names.RESPONSE_ID: "r", **USAGE}
    seen = settled(of_kind("CHAIN", 1), of_kind("LLM", 2, told, parent=1), of_kind("LLM", 3, told, trace=2))
    assert len(seen.answers()) == 1
    assert [row["input_tokens"] for row in seen.spans("generate")] == [100]


def test_the_same_response_at_another_time_is_another_call(settled: Any) -> None:
    told = {names.RESPONSE_ID: "r", **USAGE}
    seen = settled(
        of_kind("CHAIN", 1),
        of_kind("LLM", 2, told, parent=1),
        of_kind("LLM", 3, told, trace=2, started_at=NOW + timedelta(seconds=5)),
    )
    assert len(seen.answers()) == 2
