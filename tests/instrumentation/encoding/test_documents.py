"""Documents are written as message objects and `json` would write them."""

import json
import math
from collections.abc import Sequence
from decimal import Decimal
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil.documents import Documents
from ragvigil.encoding.documents import Scored, _kept_json, documents_json, flattened, scored

SCORES = st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False))
DOCUMENTS = st.lists(st.tuples(st.text(), SCORES), max_size=30)


def written_plainly(pairs: Sequence[tuple[str, float | None]], prefix: str) -> bytes:
    span = Span()
    for index, (name, score) in enumerate(pairs):
        span.attributes.append(KeyValue(key=f"{prefix}.{index}.document.id", value=AnyValue(string_value=name)))
        if score is not None:
            key = f"{prefix}.{index}.document.score"
            span.attributes.append(KeyValue(key=key, value=AnyValue(double_value=score)))
    return span.SerializeToString()


def documents(pairs: Sequence[tuple[str, float | None]]) -> Scored:
    return Scored([name for name, _ in pairs], [score for _, score in pairs])


@given(DOCUMENTS, st.sampled_from(["retrieval.documents", "p" * 130]))
def test_flattened_documents_are_what_protobuf_writes(pairs: list[tuple[str, float | None]], prefix: str) -> None:
    assert flattened(documents(pairs), prefix) == written_plainly(pairs, prefix)


@pytest.mark.parametrize("count", [0, 1, 31, 32, 511, 512, 1023, 1024, 5000])
def test_lists_of_any_length_are_complete(count: int) -> None:
    pairs = [(f"document-{number}", number / 2) for number in range(count)]
    assert flattened(documents(pairs), "retrieval.documents") == written_plainly(pairs, "retrieval.documents")


@pytest.mark.parametrize("length", [0, 78, 90, 124, 125, 126, 127, 128, 1100, 20_000])
def test_ids_of_any_length_are_written(length: int) -> None:
    pairs = [("x" * length, 0.5), ("ß" * length, None)]
    assert flattened(documents(pairs), "retrieval.documents") == written_plainly(pairs, "retrieval.documents")


@pytest.mark.parametrize("count", [2, 64, 65])
@pytest.mark.parametrize("length", [0, 1, 99, 100, 101, 126, 500])
def test_scored_documents_of_usual_and_unusual_size_are_written(count: int, length: int) -> None:
    pairs = [("x" * (length - number % 2 if length else 0), number / 7) for number in range(count)]
    assert flattened(documents(pairs), "retrieval.documents") == written_plainly(pairs, "retrieval.documents")


def test_two_zeros_stay_two() -> None:
    assert documents_json(documents([("a", 0.0)])) == '[{"id":"a","score":0.0}]'
    assert documents_json(documents([("a", -0.0)])) == '[{"id":"a","score":-0.0}]'


@given(st.lists(st.tuples(st.text(st.characters()), SCORES), max_size=10))
def test_json_is_what_json_would_write(pairs: list[tuple[str, float | None]]) -> None:
    plain = [{"id": name, "score": score} for name, score in pairs]
    assert documents_json(documents(pairs)) == json.dumps(plain, separators=(",", ":"), allow_nan=False)


class Shouting(str):
    __slots__ = ()

    def __str__(self) -> str:
        return self.upper()


@pytest.mark.parametrize(
    ("identity", "text"),
    [
        ("a", "a"),
        (7, "7"),
        (True, "True"),
        (Shouting("a"), "A"),
        ("\udcff", "?"),
        ("ß\ud800", "ß?"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
    ],
    ids=["text", "number", "bool", "subclass", "surrogate", "mixed", "uuid"],
)
def test_ids_become_text(identity: object, text: str) -> None:
    assert scored(Documents((identity, "b"), None)).ids == [text, "b"]


@pytest.mark.parametrize(
    ("score", "number"),
    [
        (0.5, 0.5),
        (1, 1.0),
        (Decimal("0.5"), 0.5),
        (math.nan, None),
        (math.inf, None),
        (-math.inf, None),
        (None, None),
        (True, None),
        ("0.5", None),
        (10**400, None),
    ],
    ids=repr,
)
def test_scores_become_finite_numbers_or_none(score: Any, number: float | None) -> None:
    found = list(scored(Documents(("a", "b"), (score, 0.25))).scores)
    assert found == [number, 0.25]
    assert type(found[0]) in {float, type(None)}


def test_scores_whose_sum_overflows_stay() -> None:
    assert list(scored(Documents(("a", "b"), (1e308, 1e308))).scores) == [1e308, 1e308]


def test_lists_of_huge_ids_are_not_kept() -> None:
    before = _kept_json.cache_info().currsize, _kept_json.cache_info().misses
    huge = documents([("x" * 1_000_000, 0.5), ("y", 0.5)])
    assert json.loads(documents_json(huge))[0] == {"id": "x" * 1_000_000, "score": 0.5}
    assert (_kept_json.cache_info().currsize, _kept_json.cache_info().misses) == before


def test_what_a_search_finds_is_written_once_for_the_next_stage_too() -> None:
    found = documents([(f"kept-{number}", 0.5) for number in range(20)])
    hits = _kept_json.cache_info().hits
    assert documents_json(found) is documents_json(found)
    assert _kept_json.cache_info().hits == hits + 1
