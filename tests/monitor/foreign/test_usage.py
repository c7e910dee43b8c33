"""Tokens and cost that one instrumentation knows and another one does not, counted once and on the span that counts."""

import json
from datetime import timedelta
from typing import Any

import pytest
from tests.monitor.foreign.test_repeats import USAGE, of_kind, staged, tokens
from tests.samples.otlp import NOW, span, span_id

from ragvigil import attributes as names

COST = {names.LLM_COST_TOTAL: 0.5}
SAID = {names.INPUT_VALUE: "prompt", names.OUTPUT_VALUE: "the same words"}


def used(seen: Any) -> dict[int, tuple[int | None, float | None]]:
    """By span the tokens and cost that it has."""
    return {int.from_bytes(row["span_id"]): (row["input_tokens"], row["cost_usd"]) for row in seen.spans()}


def attributes_of(seen: Any, number: int) -> dict[str, Any]:
    (row,) = [row for row in seen.spans() if row["span_id"] == span_id(number)]
    found: dict[str, Any] = json.loads(row["attributes"])
    return found


def test_what_only_the_outer_of_two_calls_knows_belongs_to_the_inner_one_that_counts(settled: Any) -> None:
    seen = settled(
        of_kind("CHAIN", 1),
        of_kind("LLM", 2, COST, parent=1),
        of_kind("LLM", 3, USAGE, parent=2),
    )
    assert (staged(seen, "generate"), seen.cost_usd()) == ([3], 0.5)
    assert used(seen) == {1: (None, None), 2: (None, None), 3: (100, 0.5)}
    assert attributes_of(seen, 3)["otel.taken_usage"] == ["cost_usd"]
    assert attributes_of(seen, 2)["otel.repeated_usage"] == {"cost_usd": 0.5}


def test_what_only_the_agent_knows_belongs_to_its_only_call(settled: Any) -> None:
    seen = settled(of_kind("AGENT", 1, {**USAGE, **COST}), of_kind("LLM", 2, parent=1))
    assert used(seen) == {1: (None, None), 2: (100, 0.5)}
    assert seen.cost_usd() == 0.5


def test_what_an_agent_knows_of_several_calls_stays_with_it(settled: Any) -> None:
    seen = settled(of_kind("AGENT", 1, {**USAGE, **COST}), of_kind("LLM", 2, parent=1), of_kind("LLM", 3, parent=1))
    assert used(seen) == {1: (100, 0.5), 2: (None, None), 3: (None, None)}


def test_an_outer_call_counts_only_where_none_below_it_knows_the_tokens(settled: Any) -> None:
    seen = settled(
        of_kind("CHAIN", 1),
        of_kind("LLM", 2, USAGE, parent=1),
        of_kind("LLM", 3, parent=2),
        of_kind("LLM", 4, {names.USAGE_INPUT_TOKENS: 70}, parent=2),
    )
    assert (staged(seen, "generate"), tokens(seen)) == ([3, 4], 70)


def test_ragvigils_own_stage_knows_what_the_calls_below_it_used(settled: Any) -> None:
    own = {names.ANSWER_SPAN_ID: span_id(1).hex(), names.STAGE: "generate"}
    seen = settled(
        span(1, {names.ANSWER_ID: "mine", names.SPAN_KIND: "CHAIN"}),
        of_kind("LLM", 2, own, parent=1),
        of_kind("LLM", 3, {**USAGE, **COST}, parent=2),
        of_kind("LLM", 4, {names.USAGE_INPUT_TOKENS: 30, **COST}, parent=2),
        of_kind("LLM", 5, {names.USAGE_INPUT_TOKENS: 30}, parent=4),
    )
    assert staged(seen, "generate") == [2]
    assert used(seen) == {1: (None, None), 2: (130, 1.0), 3: (None, None), 4: (None, None), 5: (None, None)}


def test_of_two_with_one_response_the_first_counts_with_the_tokens_that_only_the_second_knows(settled: Any) -> None:
    seen = settled(
        of_kind("CHAIN", 1),
        of_kind("LLM", 2, {names.RESPONSE_ID: "r"}, parent=1),
        of_kind("LLM", 3, {names.RESPONSE_ID: "r", **USAGE, **COST}, parent=1),
    )
    assert (staged(seen, "generate"), used(seen)) == ([2], {1: (None, None), 2: (100, 0.5), 3: (None, None)})


def test_a_call_that_is_told_of_in_another_trace_too_has_what_only_that_one_knows(settled: Any) -> None:
    seen = settled(
        of_kind("CHAIN", 1),
        of_kind("LLM", 2, SAID, parent=1),
        of_kind("LLM", 3, {**SAID, **USAGE, **COST}, trace=2),
    )
    assert len(seen.answers()) == 1
    assert used(seen) == {1: (None, None), 2: (100, 0.5), 3: (None, None)}


@pytest.mark.parametrize(
    ("first", "later", "counted"),
    [
        ([of_kind("AGENT", 1, USAGE), of_kind("LLM", 2, parent=1)], of_kind("LLM", 3, USAGE, parent=1), 100),
        ([of_kind("AGENT", 1, USAGE), of_kind("LLM", 2, parent=1)], of_kind("LLM", 3, parent=1), 100),
        ([of_kind("CHAIN", 1), of_kind("LLM", 2, USAGE, parent=1)], of_kind("LLM", 3, parent=2), 100),
        (
            [
                of_kind("CHAIN", 1),
                of_kind("LLM", 2, {names.RESPONSE_ID: "r"}, parent=1),
                of_kind("LLM", 3, {names.RESPONSE_ID: "r", **USAGE}, parent=1),
            ],
            of_kind("LLM", 4, {names.RESPONSE_ID: "r", **USAGE}, parent=1),
            100,
        ),
    ],
    ids=["one that knows them", "one that does not", "below the call", "of the same response"],
)
def test_what_arrives_later_makes_nothing_count_twice(
    settled: Any, store_spans: Any, settle: Any, first: list[Any], later: Any, counted: int
) -> None:
    settled(*first)
    store_spans(later)
    assert tokens(settle(after_s=90)) == counted
    assert tokens(settle(after_s=600)) == counted


def test_an_answer_that_two_traces_tell_of_counts_once_though_they_are_not_read_together(
    store_spans: Any, settle: Any
) -> None:
    long = {"padding": "x" * 30_000}
    for pair in range(3):
        chain, alone, text = 2 * pair + 1, 2 * pair + 2, {names.OUTPUT_VALUE: f"words {pair}"}
        moment = NOW + timedelta(seconds=pair)
        store_spans(
            of_kind("CHAIN", 1, long, trace=chain, started_at=moment),
            of_kind("LLM", 2, {**SAID, **text}, trace=chain, parent=1, started_at=moment),
            of_kind("LLM", 3, {**SAID, **text, **USAGE, **long}, trace=alone, started_at=moment),
        )
    seen = settle(after_s=300, most_bytes=40_000)
    assert [row["input_tokens"] for row in seen.spans("generate")] == [100] * 3
    assert [row["trace_id"][-1] for row in seen.answers()] == [1, 3, 5]


@pytest.mark.parametrize(
    "hostile",
    [
        {"input_tokens": "many"},
        {"input_tokens": -1},
        {"other": 5},
        ["input_tokens"],
        "text",
        {"cost_usd": float("nan")},
    ],
    ids=str,
)
def test_notes_of_usage_that_nobody_could_have_made_change_nothing(settled: Any, hostile: Any) -> None:
    told = {"otel.repeated_usage": hostile, "otel.taken_usage": hostile if isinstance(hostile, dict) else {"a": 1}}
    seen = settled(of_kind("CHAIN", 1), of_kind("LLM", 2, {**USAGE, **told}, parent=1))
    assert tokens(seen) == 100
    assert not told.keys() & attributes_of(seen, 2).keys()
