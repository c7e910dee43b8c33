"""What makes an answer in an application that never says so."""

import time
from datetime import timedelta
from typing import Any

import pytest
from tests.samples.otlp import NOW, span, span_id

from ragvigil import attributes as names
from ragvigil_monitor.foreign.reading import answer_id
from ragvigil_monitor.foreign.settling import PATIENCE, QUIET

SERVER, REMOTE = 2, 0x300


def chain(number: int, **given: Any) -> Any:
    return of_kind("CHAIN", number, {names.INPUT_VALUE: f"in {number}", names.OUTPUT_VALUE: f"out {number}"}, **given)


def model(number: int, **given: Any) -> Any:
    return of_kind("LLM", number, {names.OUTPUT_VALUE: f"out {number}"}, **given)


def of_kind(kind: str, number: int, attributes: Any = (), **given: Any) -> Any:
    return span(number, {names.SPAN_KIND: kind, **dict(attributes)}, **given)


def numbers(seen: Any) -> list[int]:
    return [int.from_bytes(row["span_id"]) for row in seen.answers()]


def owners(seen: Any) -> dict[int, int | None]:
    return {
        int.from_bytes(row["span_id"]): row["answer_span_id"] and int.from_bytes(row["answer_span_id"])
        for row in seen.spans()
    }


def test_a_sender_that_names_no_instrumentation_has_answers_too(settled: Any) -> None:
    seen = settled(chain(1), model(2, parent=1), scope={})
    assert numbers(seen) == [1]


def test_the_root_most_chain_in_which_a_model_is_called_is_the_answer(settled: Any) -> None:
    seen = settled(chain(1), chain(2, parent=1), model(3, parent=2), of_kind("RETRIEVER", 4, parent=1))
    (answer,) = seen.answers()
    assert (answer["span_id"], answer["question"], answer["answer"]) == (span_id(1), "in 1", "out 1")
    assert (answer["service"], answer["duration_ms"], answer["sampling_probability"]) == ("shop", 120.0, 1.0)
    assert owners(seen) == {1: 1, 2: 1, 3: 1, 4: 1}


def test_its_id_is_the_same_at_every_reading(settled: Any, settle: Any) -> None:
    (answer,) = settled(chain(1), model(2, parent=1)).answers()
    assert answer["answer_id"] == answer_id(answer["trace_id"], answer["span_id"]) == f"{1:032x}-{1:016x}"
    assert settle(after_s=3600).answers() == [answer]


@pytest.mark.parametrize(
    "spans",
    [
        [chain(1), of_kind("EMBEDDING", 2, parent=1)],
        [of_kind("EMBEDDING", 1)],
        [of_kind("RETRIEVER", 1), of_kind("LLM", 2, parent=1)],
        [chain(1), of_kind("RETRIEVER", 2, parent=1)],
        [of_kind("EVALUATOR", 1), chain(2, parent=1), model(3, parent=2)],
        [of_kind("GUARDRAIL", 1), model(2, parent=1)],
        [of_kind("TOOL", 1), model(2, parent=1)],
    ],
    ids=["indexing", "embedding", "search by model", "search", "evaluation", "guardrail", "tool"],
)
def test_nothing_else_is_an_answer(settled: Any, spans: Any) -> None:
    seen = settled(*spans)
    assert seen.answers() == []
    assert set(owners(seen).values()) == {None}


def test_an_agent_may_call_a_model_that_nobody_sees(settled: Any) -> None:
    assert numbers(settled(of_kind("AGENT", 1, {names.OUTPUT_VALUE: "done"}))) == [1]


def test_calls_below_a_span_of_the_application_are_one_answer(settled: Any) -> None:
    seen = settled(span(1, kind=SERVER), model(2, parent=1), of_kind("RETRIEVER", 3, parent=1), model(4, parent=1))
    (answer,) = seen.answers()
    assert (answer["span_id"], answer["answer"]) == (span_id(1), "out 4")
    assert owners(seen) == {1: 1, 2: 1, 3: 1, 4: 1}


def test_a_call_alone_is_an_answer(settled: Any) -> None:
    assert numbers(settled(model(1))) == [1]


@pytest.mark.parametrize(("kind", "expected"), [(SERVER, [1]), (1, [2, 4])], ids=["a request", "a script"])
def test_several_chains_are_one_answer_if_they_serve_one_request(settled: Any, kind: int, expected: list[int]) -> None:
    spans = [chain(2, parent=1), model(3, parent=2), chain(4, parent=1), model(5, parent=4)]
    assert numbers(settled(span(1, kind=kind), *spans)) == expected


def test_the_same_trace_in_another_process_is_another_answer(settled: Any) -> None:
    spans = [chain(1, parent=9, flags=REMOTE), model(2, parent=1), chain(3, parent=9, flags=REMOTE), model(4, parent=3)]
    assert numbers(settled(*spans)) == [1, 3]


def test_searches_beside_the_only_chain_of_a_request_belong_to_it(settled: Any) -> None:
    seen = settled(span(1, kind=SERVER), of_kind("RETRIEVER", 2, parent=1), chain(3, parent=1), model(4, parent=3))
    assert owners(seen) == {1: 3, 2: 3, 3: 3, 4: 3}


def test_a_root_that_comes_last_and_in_another_request_is_the_answer(store_spans: Any, settle: Any) -> None:
    store_spans(chain(2, parent=1), model(3, parent=2))
    assert numbers(settle()) == []
    store_spans(chain(1))
    seen = settle()
    assert numbers(seen) == [1]
    assert owners(seen) == {1: 1, 2: 1, 3: 1}


def test_a_parent_that_never_arrives_is_not_waited_for_long(store_spans: Any, settle: Any) -> None:
    store_spans(of_kind("RETRIEVER", 2, parent=1), model(3, parent=1))
    ended_s = 0.12
    assert numbers(settle(ended_s + PATIENCE.total_seconds() - 1)) == []
    seen = settle(ended_s + PATIENCE.total_seconds() + 1)
    assert numbers(seen) == [3]
    assert owners(seen) == {2: 3, 3: 3}


def test_an_answer_that_lies_below_one_after_all_is_taken_back(store_spans: Any, settle: Any) -> None:
    store_spans(chain(2, parent=1), model(3, parent=2))
    assert numbers(settle(after_s=300)) == [2]
    store_spans(chain(1))
    seen = settle(after_s=301)
    assert numbers(seen) == [1]
    assert owners(seen) == {1: 1, 2: 1, 3: 1}


def test_what_lost_its_parent_belongs_to_the_answer_that_was_being_given(settled: Any, settle: Any) -> None:
    settled(chain(1), model(2, parent=1), chain(5, parent=4), model(6, parent=5))
    seen = settle(after_s=300)
    assert numbers(seen) == [1]
    assert owners(seen) == {1: 1, 2: 1, 5: 1, 6: 1}


def test_a_trace_in_which_something_still_happens_is_left_alone(settled: Any, store_spans: Any, settle: Any) -> None:
    store_spans(chain(1, duration_ms=1000), model(2, parent=1))
    assert numbers(settle(QUIET.total_seconds() + 0.5)) == []
    assert numbers(settle(QUIET.total_seconds() + 1.5)) == [1]


def test_where_the_application_names_its_answers_others_find_none(settled: Any) -> None:
    own = span(1, {names.ANSWER_ID: "mine", names.SPAN_KIND: "CHAIN"})
    seen = settled(own, chain(2, parent=1), model(3, parent=2))
    assert [row["answer_id"] for row in seen.answers()] == ["mine"]
    assert owners(seen) == {1: 1, 2: 1, 3: 1}


def test_stages_of_ragvigil_outside_of_answers_make_none(settled: Any) -> None:
    spans = [
        span(1, {names.STAGE: "assemble", names.SPAN_KIND: "CHAIN"}),
        span(2, {names.STAGE: "generate", names.SPAN_KIND: "LLM"}, parent=1),
    ]
    assert settled(*spans, scope={"name": "ragvigil"}).answers() == []


def test_session_and_user_may_be_told_anywhere_below(settled: Any) -> None:
    told = {names.SESSION_ID: "s", names.USER_ID: "u"}
    (answer,) = settled(chain(1), of_kind("LLM", 2, told, parent=1)).answers()
    assert (answer["session_id"], answer["user_id"]) == ("s", "u")


def test_what_was_not_said_is_unknown(settled: Any) -> None:
    (answer,) = settled(of_kind("CHAIN", 1), of_kind("LLM", 2, parent=1)).answers()
    assert {answer[name] for name in ("question", "answer", "session_id", "user_id", "refusal", "intent")} == {None}


def test_parents_in_a_circle_are_below_nothing(settled: Any) -> None:
    assert settled(chain(1, parent=2), model(2, parent=1), chain(3), model(4, parent=3, trace=1)).answers()
    circle = settled(chain(1, parent=2, trace=7), model(2, parent=1, trace=7))
    assert {row["trace_id"][-1] for row in circle.answers()} == {1}


def test_a_very_deep_trace_is_settled_soon(settled: Any) -> None:
    spans = [chain(1), *(chain(number, parent=number - 1) for number in range(2, 5000)), model(5000, parent=4999)]
    began_s = time.process_time()
    assert numbers(settled(*spans)) == [1]
    assert time.process_time() - began_s < 20


def test_one_of_many_roots_is_settled_soon(store_spans: Any, settle: Any) -> None:
    spans = [each for number in range(1, 10_000, 2) for each in (chain(number), model(number + 1, parent=number))]
    lost = [of_kind("RETRIEVER", number, parent=number + 50_000) for number in range(20_000, 25_000)]
    store_spans(*spans, *lost)
    began_s = time.process_time()
    assert len(numbers(settle(after_s=300))) == 5000
    assert time.process_time() - began_s < 10


def test_long_ago_is_not_looked_at_again(store_spans: Any, settle: Any) -> None:
    ago = NOW - timedelta(hours=5)
    store_spans(chain(1, started_at=ago), model(2, parent=1, started_at=ago))
    assert numbers(settle()) == []


ODD: list[Any] = [None, True, -1, 1e300, "", "{", '{"input": []}', "[[[]]]", b"\xff", [1, "a"], {"a": {"b": [None]}}]
NAMES = [
    names.INPUT_VALUE,
    names.OUTPUT_VALUE,
    names.RESPONSE_ID,
    names.TIME_TO_FIRST_CHUNK,
    names.USAGE_INPUT_TOKENS,
    names.SESSION_ID,
    names.RETRIEVAL_DOCUMENTS + ".0.document.id",
    names.GENAI_RETRIEVAL_DOCUMENTS,
    "gen_ai.input.messages",
    "traceloop.entity.output",
    "traceloop.entity.name",
    "llm.input_messages.0.message.role",
    "db.system",
    "db.chroma.query.where",
    "otel.scope.name",
    "otel.span.kind",
    "otel.parent.is_remote",
]


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_no_attribute_of_any_make_stops_the_others_from_being_settled(settled: Any, odd: Any) -> None:
    told = dict.fromkeys(NAMES, odd)
    kinds = ["CHAIN", "LLM", "RETRIEVER", "RERANKER", "EMBEDDING"]
    strange = [of_kind(kind, place, told, trace=2, parent=place - 1) for place, kind in enumerate(kinds, start=2)]
    seen = settled(chain(1), model(2, parent=1), *strange)
    assert 1 in {row["trace_id"][-1] for row in seen.answers()}


def test_a_trace_of_any_size_costs_no_more_memory_than_is_set(store_spans: Any, settle: Any) -> None:
    long = {names.INPUT_VALUE: "x" * 25_000}
    small = [each for trace in range(2, 30) for each in (chain(1, trace=trace), model(2, parent=1, trace=trace))]
    store_spans(chain(1), of_kind("LLM", 2, long, parent=1), *small)
    seen = settle(most_bytes=20_000)
    assert {row["trace_id"][-1] for row in seen.answers()} == set(range(2, 30))
