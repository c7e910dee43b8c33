"""Answers, and the stages that belong to them."""

import json
import time
from typing import Any

import pytest
from tests.samples.otlp import rag_trace, span, span_id, trace_id

from ragvigil import attributes as names
from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.receiver.answers import link_by_parents

ANSWER = {names.ANSWER_ID: "answer-1"}


def answer_of(batch: Any) -> dict[str, Any]:
    (row,) = batch.answers
    return dict(zip(tables.ANSWERS.names, row, strict=True))


def links(batch: Any) -> dict[int, int | None]:
    """Of each span the answer span that it belongs to, as numbers."""
    return {int.from_bytes(row[1]): None if row[3] is None else int.from_bytes(row[3]) for row in batch.spans}


def test_a_span_with_an_answer_id_is_an_answer(batch_of: Any) -> None:
    found = answer_of(batch_of(*rag_trace(0)))
    assert (found["trace_id"], found["span_id"], found["answer_id"]) == (trace_id(1), span_id(1), "answer-0")
    assert (found["session_id"], found["intent"], found["service"]) == ("session-0", "how_to", "shop")
    assert json.loads(found["slices"]) == {"team": "data"}
    assert found["question"].startswith("How do I parse dates")
    assert json.loads(found["citations"])[0]["rank"] == 1
    assert found["sampling_probability"] == 1.0


def test_what_the_answer_holds_is_not_stored_again_on_its_span(columns_of: Any) -> None:
    found = columns_of({**ANSWER, names.INPUT_VALUE: "question", names.OUTPUT_VALUE: "answer", "other": 1}, parent=5)
    assert found["attributes"] == {"other": 1}
    assert found["answer_span_id"] == span_id(1)


def test_a_span_without_an_answer_id_keeps_input_and_output(batch_of: Any, columns_of: Any) -> None:
    attributes = {names.INPUT_VALUE: "in", names.OUTPUT_VALUE: "out"}
    assert batch_of(span(1, attributes)).answers == []
    assert columns_of(attributes, parent=5)["attributes"] == attributes


@pytest.mark.parametrize(
    ("attribute", "value", "column", "stored"),
    [
        (names.REFUSAL, True, "refusal", True),
        (names.CONFIDENCE, 0.25, "confidence", 0.25),
        (names.REGENERATION_OF, "answer-0", "regeneration_of", "answer-0"),
        (names.SAMPLING_PROBABILITY, 0.1, "sampling_probability", 0.1),
        (names.USER_ID, "u", "user_id", "u"),
        (names.ENDUSER_PSEUDO_ID, "u", "user_id", "u"),
        (names.CONVERSATION_ID, "s", "session_id", "s"),
    ],
    ids=str,
)
def test_an_answer_attribute_fills_its_column(
    batch_of: Any, attribute: str, value: object, column: str, stored: object
) -> None:
    assert answer_of(batch_of(span(1, {**ANSWER, attribute: value})))[column] == stored


@pytest.mark.parametrize(
    ("attribute", "value", "column", "stored"),
    [
        (names.CONFIDENCE, 1.5, "confidence", None),
        (names.CONFIDENCE, float("nan"), "confidence", None),
        (names.REFUSAL, "no", "refusal", None),
        (names.SAMPLING_PROBABILITY, 0.0, "sampling_probability", 1.0),
        (names.SAMPLING_PROBABILITY, 2, "sampling_probability", 1.0),
        (names.CITATIONS, '[{"doc_id": ', "citations", None),
        (names.INTENT, 5, "intent", None),
        (f"{names.SLICE_PREFIX}team", 5, "slices", "{}"),
    ],
    ids=str,
)
def test_an_impossible_value_is_counted_and_kept_on_the_span(
    batch_of: Any, columns_of: Any, attribute: str, value: object, column: str, stored: object
) -> None:
    batch = batch_of(span(1, {**ANSWER, attribute: value}))
    assert answer_of(batch)[column] == stored
    assert [outcome for _, outcome in batch.outcomes] == [
        f"flawed_bad_{column.removesuffix('s') if column == 'slices' else column}"
    ]
    assert attribute in columns_of({**ANSWER, attribute: value})["attributes"]


def test_a_conversation_that_differs_from_the_session_is_kept(columns_of: Any) -> None:
    found = columns_of({**ANSWER, names.SESSION_ID: "a", names.CONVERSATION_ID: "b"}, parent=5)
    assert found["attributes"] == {names.CONVERSATION_ID: "b"}


def test_a_stage_belongs_to_the_answer_that_it_names(batch_of: Any) -> None:
    stage = span(2, {names.ANSWER_SPAN_ID: span_id(77).hex()}, parent=1)
    assert links(batch_of(span(1, ANSWER), stage)) == {1: 1, 2: 77}


@pytest.mark.parametrize("wrong", ["", "zz", "77", "0" * 16, "1" * 32, 77], ids=repr)
def test_a_stage_that_names_no_proper_span_is_linked_by_its_parents(batch_of: Any, wrong: object) -> None:
    stage = span(2, {names.ANSWER_SPAN_ID: wrong}, parent=1)
    batch = batch_of(span(1, ANSWER), stage)
    assert links(batch) == {1: 1, 2: 1}
    assert batch.outcomes == {("shop", "flawed_bad_answer_span_id"): 1}


def test_spans_belong_to_their_nearest_ancestor_that_is_an_answer(batch_of: Any) -> None:
    batch = batch_of(
        span(5, parent=4),
        span(4, ANSWER, parent=3),
        span(3, parent=2),
        span(2, ANSWER, parent=1),
        span(1),
    )
    assert links(batch) == {5: 4, 4: 4, 3: 2, 2: 2, 1: None}


def test_a_span_below_a_stage_belongs_to_the_answer_of_the_stage(batch_of: Any) -> None:
    stage = span(3, {names.ANSWER_SPAN_ID: span_id(77).hex()}, parent=1)
    assert links(batch_of(span(4, parent=3), stage)) == {4: 77, 3: 77}


def test_the_same_parent_in_another_trace_is_another_span(batch_of: Any) -> None:
    assert links(batch_of(span(1, ANSWER, trace=1), span(2, parent=1, trace=2)))[2] is None


def test_parents_in_a_circle_end_the_search(batch_of: Any) -> None:
    assert links(batch_of(span(1, parent=2), span(2, parent=1), span(3, parent=3))) == {1: None, 2: None, 3: None}


def test_a_long_chain_of_spans_is_linked(batch_of: Any) -> None:
    chain = [span(number, parent=number - 1) for number in range(2, 5001)]
    assert set(links(batch_of(*reversed(chain), span(1, ANSWER))).values()) == {1}


def test_a_long_chain_without_an_answer_costs_no_more_a_span_than_a_short_one() -> None:
    def cost_s(spans: int) -> float:
        rows = [[trace_id(1), span_id(n), span_id(n - 1), None] for n in range(spans, 0, -1)]
        began_s = time.process_time()
        link_by_parents(rows)
        assert {row[3] for row in rows} == {None}
        return time.process_time() - began_s

    short_s, long_s = min(cost_s(1000) for _ in range(5)), min(cost_s(16_000) for _ in range(2))
    assert long_s < 64 * short_s
