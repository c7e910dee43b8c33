"""What is handed over is copied at once, and hostile input costs a fact, never the application."""

import json
import math
import struct
from array import array
from collections.abc import Callable
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.names import stable

import ragvigil
from ragvigil import attributes as names
from ragvigil.documents import Documents, copied, returned
from ragvigil.testing import InMemoryExporter
from ragvigil.vectors import vector_bytes

Exported = Callable[[], InMemoryExporter]


def test_lists_sorted_in_place_do_not_change_what_was_recorded(exported: Exported) -> None:
    ids, scores = ["a", "b"], [0.1, 0.9]
    with ragvigil.stage("rerank") as s:
        s.inputs(ids, scores)
        ids.reverse()
        scores.reverse()
        s.outputs(ids, scores)
        ids.clear()
        scores.clear()
    attributes = exported().one("rerank").attributes
    assert attributes[names.STAGE_INPUT_DOCUMENTS] == '[{"id":"a","score":0.1},{"id":"b","score":0.9}]'
    assert attributes[names.STAGE_OUTPUT_DOCUMENTS] == '[{"id":"b","score":0.9},{"id":"a","score":0.1}]'


def test_a_vector_that_changes_later_does_not_change_what_was_recorded(exported: Exported) -> None:
    vector = np.ones(4, dtype=np.float32)
    with ragvigil.stage("embed") as s:
        s.vector(vector)
        vector[:] = 0
    assert exported().one("embed").attributes[names.QUERY_VECTOR] == np.ones(4, dtype="<f4").tobytes()


def test_attributes_of_other_code_are_copied(exported: Exported) -> None:
    value = ["a"]
    with ragvigil.stage("embed") as s:
        s.set_attribute("app.list", value)
        value.append("b")
    assert exported().one("embed").attributes["app.list"] == ["a"]


@pytest.mark.parametrize(
    "vector",
    [
        [1.0, -2.5, 0.0],
        (1, -2.5, 0),
        array("d", [1.0, -2.5, 0.0]),
        np.array([1.0, -2.5, 0.0]),
        np.array([1.0, -2.5, 0.0], dtype="<f4"),
        np.array([1.0, -2.5, 0.0], dtype=">f4"),
        np.array([1.0, -2.5, 0.0], dtype=np.float16),
        np.array([[1.0, -2.5, 0.0]]),
        np.array([[1.0], [-2.5], [0.0]]),
        np.array([1.0, 9.0, -2.5, 9.0, 0.0, 9.0], dtype="<f4")[::2],
        struct.pack("<3f", 1.0, -2.5, 0.0),
    ],
    ids=["list", "tuple", "array", "float64", "float32", "big endian", "float16", "row", "column", "strided", "bytes"],
)
def test_every_kind_of_vector_becomes_little_endian_float32(vector: Any) -> None:
    assert vector_bytes(vector) == struct.pack("<3f", 1.0, -2.5, 0.0)


@given(st.lists(st.floats(width=32), max_size=20))
def test_vectors_keep_every_value(values: list[float]) -> None:
    unpacked = struct.unpack(f"<{len(values)}f", vector_bytes(values))
    assert all(a == b or (math.isnan(a) and math.isnan(b)) for a, b in zip(values, unpacked, strict=True))


@pytest.mark.parametrize(
    ("vector", "failure"),
    [(np.zeros((2, 3)), ValueError), ("abc", TypeError), ([None], TypeError), (5, TypeError), ([[1.0]], TypeError)],
    ids=stable,
)
def test_what_is_no_vector_is_refused(vector: Any, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        vector_bytes(vector)


@pytest.mark.parametrize(
    ("ids", "scores", "failure"),
    [
        (["a", "b"], [1.0], ValueError),
        ("abc", None, TypeError),
        (iter(["a"]), None, TypeError),
        ({"a": 1}, None, TypeError),
        (None, None, TypeError),
        (5, None, TypeError),
    ],
    ids=["unequal", "text", "iterator", "mapping", "None", "number"],
)
def test_what_are_no_documents_is_refused(ids: Any, scores: Any, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        copied(ids, scores)


def test_an_iterator_is_not_used_up(exported: Exported, lenient: None) -> None:
    documents = iter(["a", "b"])
    with ragvigil.stage("retrieve") as s:
        s.outputs(documents)  # type: ignore[arg-type]  # that it does no harm is the test
    assert list(documents) == ["a", "b"]
    assert names.STAGE_OUTPUT_DOCUMENTS not in exported().one("retrieve").attributes


def test_arrays_of_ids_and_scores_become_plain_values(exported: Exported) -> None:
    with ragvigil.stage("retrieve") as s:
        s.outputs(np.array([3, 1]), np.array([0.5, 0.25], dtype=np.float32))  # type: ignore[arg-type]
    attributes = exported().one("retrieve").attributes
    assert json.loads(attributes[names.STAGE_OUTPUT_DOCUMENTS]) == [
        {"id": "3", "score": 0.5},
        {"id": "1", "score": 0.25},
    ]


class Hit:
    """A document as clients of vector databases return them."""

    def __init__(self, id: object, score: float | None = None) -> None:  # noqa: A002 - as clients call it
        self.id = id
        self.score = score


FIRST = UUID(int=1)


@pytest.mark.parametrize(
    ("result", "ids", "scores"),
    [
        ([], (), None),
        (["a", "b"], ("a", "b"), None),
        ([1, 2], (1, 2), None),
        ([FIRST], (FIRST,), None),
        ([np.int64(7)], (np.int64(7),), None),
        ([("a", 0.5), ("b", None)], ("a", "b"), (0.5, None)),
        ([["a", 0.5]], ("a",), (0.5,)),
        ([Hit("a", 0.5), Hit("b", 0.25)], ("a", "b"), (0.5, 0.25)),
        ([Hit("a"), Hit("b")], ("a", "b"), None),
        ([(Hit("a"), 0.5)], ("a",), (0.5,)),
        ([{"id": "a", "score": 0.5}, {"id": "b"}], ("a", "b"), (0.5, None)),
        ({"ids": ["a"], "scores": [0.5]}, ("a",), (0.5,)),
        ({"ids": ["a"]}, ("a",), None),
        (np.array(["a", "b"]), ("a", "b"), None),
    ],
    ids=stable,
)
def test_documents_are_found_in_what_retrievers_return(result: object, ids: object, scores: object) -> None:
    assert returned(result) == Documents(ids, scores)  # type: ignore[arg-type]  # the cases are of many types


@pytest.mark.parametrize(
    "result", [None, 5, "abc", {"hits": []}, [object()], [{"score": 1.0}], [("a", 1, 2)]], ids=stable
)
def test_results_without_documents_are_refused(result: object) -> None:
    with pytest.raises(TypeError):
        returned(result)


def test_documents_can_be_extracted_from_anything() -> None:
    result = {"hits": {"hits": [{"_id": "a", "_score": 2.0}]}}
    found = returned(result, lambda r: [(hit["_id"], hit["_score"]) for hit in r["hits"]["hits"]])
    assert found == Documents(("a",), (2.0,))


HOSTILE_TEXT = "\ud800 \x00 \U0001f600 " + "x" * 100_000


def test_hostile_text_arrives(exported: Exported) -> None:
    with ragvigil.pipeline("\ud800 name") as answer:
        answer.set(question=HOSTILE_TEXT)
        answer.slice("\ud800", "\ud800")
        answer.set_attribute("\ud800", "\ud800")
        with ragvigil.stage("retrieve") as s:
            s.outputs(["\ud800"], [1.0])
            s.filter({"kind": "\ud800"})
    (span,) = exported().named("? name")
    assert span.attributes[names.INPUT_VALUE] == HOSTILE_TEXT.replace("\ud800", "?")
    assert span.attributes[f"{names.SLICE_PREFIX}?"] == "?"
    assert exported().one("retrieve").attributes["retrieval.documents.0.document.id"] == "?"


@pytest.mark.parametrize(
    ("facts", "dropped"),
    [
        ({"query": 5}, 1),
        ({"top_k": "ten"}, 1),
        ({"top_k": 2.5}, 1),
        ({"top_k": 2**70}, 1),
        ({"top_k": True}, 1),
        ({"input_tokens": float("nan")}, 1),
        ({"cost_usd": float("inf")}, 1),
        ({"cost_usd": "0.5"}, 1),
        ({"model": ["large"]}, 1),
        ({"no_such_fact": 1}, 1),
        ({"query": object(), "top_k": object()}, 2),
    ],
    ids=stable,
)
def test_facts_of_the_wrong_kind_are_left_out_and_counted(
    exported: Exported, lenient: None, facts: dict[str, Any], dropped: int
) -> None:
    with ragvigil.stage("retrieve") as s:
        s.set(index_version="kept")
        s.set(**facts)
    span = exported().one("retrieve")
    assert span.dropped_attributes == dropped
    assert span.attributes[names.INDEX_VERSION] == "kept"


def test_numbers_of_other_libraries_are_numbers(exported: Exported) -> None:
    facts: dict[str, Any] = {"input_tokens": np.int32(7), "cost_usd": np.float64(0.5)}
    with ragvigil.stage("generate") as s:
        s.set(**facts)
    attributes = exported().one("generate").attributes
    assert (attributes[names.USAGE_INPUT_TOKENS], attributes[names.STAGE_COST]) == (7, 0.5)


def test_an_id_that_cannot_be_text_costs_the_documents_and_nothing_else(exported: Exported, lenient: None) -> None:
    class Unprintable:
        def __str__(self) -> str:
            raise RuntimeError

    with ragvigil.stage("retrieve") as s:
        s.set(query="kept")
        s.outputs([Unprintable()])
    span = exported().one("retrieve")
    assert span.attributes[names.RETRIEVAL_QUERY_TEXT] == "kept"
    assert span.dropped_attributes == 1


@pytest.mark.parametrize("call", ["inputs", "outputs", "context", "vector"])
@pytest.mark.parametrize("junk", [None, 5, object(), "text", {"a": 1}], ids=stable)
def test_no_method_raises_whatever_it_is_given(exported: Exported, lenient: None, call: str, junk: Any) -> None:
    with ragvigil.stage("retrieve") as s:
        getattr(s, call)(junk)
        s.filter(junk, dialect=junk, relevance=("a",))
        s.set(score_kind=junk)
    assert exported().one("retrieve").attributes[names.SPAN_KIND] == "RETRIEVER"
