"""Whatever traces look like and in whatever portions they arrive: the same spans count, and every token once."""

import random
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import orjson
import pytest
from tests.samples.otlp import NOW

from ragvigil import attributes as names
from ragvigil_monitor.foreign.settling import settle

Row = dict[str, Any]
NUMBERS = ("input_tokens", "output_tokens", "cost_usd")
EMPTY = (
    *("answer_span_id", "status_message", "probe_id", "provider", "cached_tokens", "time_to_first_token_ms"),
    *("query_text", "top_k", "output_documents"),
)
SEEDS = range(400)


def row(number: int, parent: int | None, kind: str, told: dict[str, Any], response: str | None = None) -> Row:
    """A span as the store has it; each begins after and ends before those with a lower number."""
    attributes = {"otel.scope.name": "openinference.x"} | ({names.RESPONSE_ID: response} if response else {})
    return {
        **dict.fromkeys((*EMPTY, *NUMBERS)),
        "trace_id": bytes(16),
        "span_id": bytes([number] * 8),
        "parent_span_id": parent and bytes([parent] * 8),
        "started_at": NOW + timedelta(seconds=number),
        "duration_ms": 1000.0 * (60 - 2 * number),
        "service": "shop",
        "service_version": None,
        "instance_id": "1",
        "name": f"span {number}",
        "kind": kind,
        "stage": "generate" if kind == "LLM" else None,
        "status": "ok",
        "model": "m",
        "attributes": orjson.dumps(attributes).decode(),
        **told,
    }


def some_of(chance: random.Random, numbers: dict[str, Any], likelihood: float = 0.5) -> dict[str, Any]:
    return {name: number for name, number in numbers.items() if chance.random() < likelihood}


def any_trace(seed: int) -> list[Row]:
    """Calls, agents and chains below each other, which contradict each other in what they tell."""
    chance = random.Random(seed)
    rows = [row(1, None, "CHAIN", {})]
    for number in range(2, chance.randint(3, 7)):
        kind = chance.choice(["CHAIN", "LLM", "LLM", "LLM", "AGENT"])
        likelihood = 0.1 if kind == "CHAIN" else 0.5
        told = some_of(chance, dict(zip(NUMBERS, (10 * number, number, float(number)), strict=True)), likelihood)
        response = chance.choice([None, None, "r1", "r2"]) if kind == "LLM" else None
        rows.append(row(number, chance.randint(1, number - 1), kind, told, response))
    return rows


def calls_told_several_times(seed: int) -> tuple[list[Row], int, dict[str, float]]:
    """A trace, how many calls it tells of, and what they used as far as some span tells it."""
    chance = random.Random(seed)
    rows, used = [row(1, None, chance.choice(["CHAIN", "AGENT"]), {})], dict.fromkeys(NUMBERS, 0.0)
    calls = chance.randint(1, 2)
    for call in range(calls):
        true = dict(zip(NUMBERS, (100 * call + 101, 10 * call + 11, 0.5 * call + 0.5), strict=True))
        before = len(rows)
        rows += told_by(chance, true, f"r{call}", before + 1)
        known = [name for name in NUMBERS if any(each[name] is not None for each in rows[before:])]
        used |= {name: used[name] + true[name] for name in known}
    return rows, calls, used


def told_by(chance: random.Random, true: dict[str, Any], response: str, number: int) -> Iterator[Row]:
    """Spans inside each other that tell of one call, some with chains between, and maybe one beside them."""
    parent, depth, is_beside = 1, chance.randint(1, 3), chance.random() < 0.5
    named = chance.randrange(depth)
    for level in range(depth):
        if chance.random() < 0.2:
            yield row(number, parent, "CHAIN", {})
            parent, number = number, number + 1
        has_id = level == named or chance.random() < 0.5
        yield row(number, parent, "LLM", some_of(chance, true), response if has_id else None)
        parent, number = number, number + 1
    if is_beside:
        yield row(number, 1, "LLM", some_of(chance, true), response)


def judged(rows: Sequence[Row]) -> list[Row]:
    """The spans as they are stored after a turn of the job."""
    found = settle(rows, [], now=NOW + timedelta(minutes=10))
    assert not found.failures
    changed = {each["span_id"]: each for settlement in found.settlements for each in settlement.spans}
    return [{**each, **changed.get(each["span_id"], {}), "answer_span_id": None} for each in rows]


def in_portions(rows: Sequence[Row], seed: int) -> list[Row]:
    """The same, where a turn of the job came between."""
    chance = random.Random(seed)
    order = chance.sample(rows, len(rows))
    first = chance.randint(1, len(rows))
    return sorted(judged([*judged(order[:first]), *order[first:]]), key=lambda each: bytes(each["span_id"]))


def amounts(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    return [tuple(each[name] for name in ("span_id", "stage", *NUMBERS)) for each in rows]


@pytest.mark.parametrize("seed", SEEDS[::100], ids=str)
def test_the_portions_in_which_a_trace_arrives_change_nothing(seed: int) -> None:
    for each in range(seed, seed + 100):
        for rows in (any_trace(each), calls_told_several_times(each)[0]):
            assert amounts(in_portions(rows, each)) == amounts(judged(rows)), each


def test_what_is_settled_is_found_settled() -> None:
    for seed in SEEDS:
        once = judged(any_trace(seed))
        assert judged(once) == once, seed


def test_every_call_and_what_it_used_counts_once() -> None:
    for seed in SEEDS:
        rows, calls, used = calls_told_several_times(seed)
        for seen in (judged(rows), in_portions(rows, seed)):
            assert {name: sum(each[name] or 0 for each in seen) for name in NUMBERS} == pytest.approx(used), seed
            assert sum(each["stage"] == "generate" for each in seen) == calls, seed
