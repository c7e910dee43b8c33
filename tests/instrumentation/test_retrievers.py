"""`retriever`: query, filter, k and documents of a search function, whatever its kind."""

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil import entitlement, relevance, where
from ragvigil.predicates import Leaf, eq
from ragvigil.testing import InMemoryExporter, recording

Exported = Callable[[], InMemoryExporter]


def test_everything_about_a_search_is_recorded(exported: Exported) -> None:
    @ragvigil.retriever(filter="where", query="query", top_k="k", relevance=("kind",))
    def search(query: str, where: dict[str, str] | None = None, k: int = 10) -> list[tuple[str, float]]:
        return [("a", 0.5), ("b", 0.25)]

    assert search("files", where={"kind": "function", "tenant": "acme"}) == [("a", 0.5), ("b", 0.25)]
    attributes = exported().one("retrieve").attributes
    assert attributes[names.RETRIEVAL_QUERY_TEXT] == "files"
    assert attributes[names.RETRIEVAL_TOP_K] == 10
    assert attributes[names.STAGE_OUTPUT_DOCUMENTS] == '[{"id":"a","score":0.5},{"id":"b","score":0.25}]'
    assert attributes[names.FILTER_DIALECT] == "mapping"
    assert attributes[names.FILTER_STATE] == "known"
    assert "acme" not in attributes[names.FILTER_AST]
    assert json.loads(attributes[names.FILTER_CLAUSES]) == [
        {"path": "/args/0", "role": "relevance", "origin": "caller", "kind": "eq"}
    ]


@pytest.mark.parametrize(
    "call",
    [
        lambda search: search("files", {"kind": "a"}, 3),
        lambda search: search("files", where={"kind": "a"}, k=3),
        lambda search: search(k=3, where={"kind": "a"}, query="files"),
    ],
    ids=["by position", "mixed", "by name"],
)
def test_arguments_are_found_wherever_they_stand(
    exported: Exported, call: Callable[[Callable[..., list[str]]], list[str]]
) -> None:
    @ragvigil.retriever(filter="where", query="query", top_k="k", relevance=["kind"])
    def search(query: str, where: dict[str, str], k: int) -> list[str]:
        return [query]

    assert call(search) == ["files"]
    attributes = exported().one("retrieve").attributes
    assert attributes[names.RETRIEVAL_QUERY_TEXT] == "files"
    assert attributes[names.RETRIEVAL_TOP_K] == 3
    assert json.loads(attributes[names.FILTER_AST])["args"] == [{"op": "eq", "field": "kind", "value": "a"}]


def test_a_filter_left_out_is_its_default(exported: Exported) -> None:
    @ragvigil.retriever(filter="where")
    def search(query: str, where: object = None) -> list[str]:
        return []

    search("files")
    assert exported().one("retrieve").attributes[names.FILTER_STATE] == "none"


def test_a_filter_that_the_decorator_does_not_know_is_unknown(exported: Exported) -> None:
    @ragvigil.retriever
    def search(query: str, where: object = None) -> list[str]:
        return ["a"]

    search("files", {"kind": "a"})
    attributes = exported().one("retrieve").attributes
    assert attributes[names.FILTER_STATE] == "unknown"
    assert attributes[names.RETRIEVAL_QUERY_TEXT] == "files"


def test_a_filter_among_free_keywords_is_unknown_when_it_is_not_given(exported: Exported) -> None:
    @ragvigil.retriever(filter="where")
    def search(query: str, **options: Any) -> list[str]:
        return []

    search("files")
    search("files", where=None)
    assert [span.attributes[names.FILTER_STATE] for span in exported().spans] == ["unknown", "none"]


def test_a_filter_argument_that_does_not_exist_is_told_and_unknown(
    exported: Exported, lenient: None, caplog: pytest.LogCaptureFixture
) -> None:
    @ragvigil.retriever(filter="filtr")
    def search(query: str, filter: object = None) -> list[str]:  # noqa: A002 - as clients call it
        return ["a"]

    assert search("files") == ["a"]
    assert exported().one("retrieve").attributes[names.FILTER_STATE] == "unknown"
    assert "has no argument named 'filtr'" in caplog.text


def test_clauses_keep_their_roles(exported: Exported) -> None:
    @ragvigil.retriever(filter="where")
    def search(query: str, where: ragvigil.Filter) -> list[str]:
        return [query] if where.matches({"tenant": "acme", "kind": "a"}) else []

    assert search("q", where(entitlement(eq("tenant", "acme")), relevance(eq("kind", "a"), origin="llm"))) == ["q"]
    clauses = json.loads(exported().one("retrieve").attributes[names.FILTER_CLAUSES])
    assert [(clause["role"], clause["origin"]) for clause in clauses] == [
        ("entitlement", "caller"),
        ("relevance", "llm"),
    ]


def test_async_retrievers(exported: Exported) -> None:
    @ragvigil.retriever(top_k="k")
    async def search(query: str, k: int = 5) -> list[str]:
        await asyncio.sleep(0)
        return ["a"]

    assert asyncio.run(search("files")) == ["a"]
    assert exported().one("retrieve").attributes[names.STAGE_OUTPUT_COUNT] == 1


def test_methods_are_retrievers_too(exported: Exported) -> None:
    class Index:
        @ragvigil.retriever(filter="where", top_k="k")
        def search(self, query: str, k: int, where: object = None) -> list[str]:
            return [f"{query} {where}"] * k

    Index().search("files", 2)
    assert exported().one("retrieve").attributes[names.RETRIEVAL_TOP_K] == 2


def test_documents_set_inside_win_over_the_result(exported: Exported) -> None:
    @ragvigil.retriever
    def search(query: str) -> list[str]:
        ragvigil.current_stage().outputs(["inside"], [1.0])
        return ["outside"]

    assert search("files") == ["outside"]
    assert json.loads(exported().one("retrieve").attributes[names.STAGE_OUTPUT_DOCUMENTS]) == [
        {"id": "inside", "score": 1.0}
    ]


def test_documents_of_another_shape_are_extracted(exported: Exported) -> None:
    @ragvigil.retriever(documents=lambda result: {"ids": result["ids"][0], "scores": result["distances"][0]})
    def search(query: str) -> dict[str, list[list[Any]]]:
        return {"ids": [["a"]], "distances": [[0.5]]}

    search("files")
    assert exported().one("retrieve").attributes[names.STAGE_OUTPUT_DOCUMENTS] == '[{"id":"a","score":0.5}]'


@pytest.mark.parametrize("result", [None, 5, [object()], iter(["a"])], ids=["None", "number", "objects", "iterator"])
def test_a_result_that_is_not_understood_passes_untouched(
    exported: Exported, lenient: None, caplog: pytest.LogCaptureFixture, result: object
) -> None:
    @ragvigil.retriever
    def search(query: str) -> object:
        return result

    assert search("files") is result
    attributes = exported().one("retrieve").attributes
    assert names.STAGE_OUTPUT_DOCUMENTS not in attributes
    assert "your code still runs, with less telemetry" in caplog.text
    assert not isinstance(result, Iterator) or list(result) == ["a"]


def test_an_extractor_that_fails_costs_the_documents_only(exported: Exported, lenient: None) -> None:
    @ragvigil.retriever(documents=lambda result: result[7])
    def search(query: str) -> list[str]:
        return ["a"]

    assert search("files") == ["a"]
    assert exported().one("retrieve").status == "unset"


def test_a_search_that_fails_is_an_error_and_passes_through(exported: Exported) -> None:
    failure = ConnectionError("no database")

    @ragvigil.retriever(filter="where")
    def search(query: str, where: object = None) -> list[str]:
        raise failure

    with pytest.raises(ConnectionError) as raised:
        search("files")
    assert raised.value is failure
    span = exported().one("retrieve")
    assert span.status == "error"
    assert span.attributes[names.FILTER_STATE] == "none"


@pytest.mark.parametrize(
    "leaf",
    [
        Leaf("eq", ["x"], 1),  # type: ignore[arg-type]
        Leaf("eq", None, 1),  # type: ignore[arg-type]
        Leaf("eq", "x", 10**5000),
        Leaf("eq", b"x", 1),  # type: ignore[arg-type]
    ],
    ids=["a list as field", "none as field", "a huge number", "bytes as field"],
)
@pytest.mark.parametrize("said", [relevance, entitlement])
def test_a_leaf_made_by_hand_of_anything_raises_nothing_and_is_unknown_and_counted(leaf: Leaf, said: Any) -> None:
    with recording() as recorded:

        @ragvigil.retriever(filter="only")
        def search(_query: str, only: Any) -> list[str]:
            return ["doc-1"]

        assert search("q", where(said(leaf))) == ["doc-1"]
    (span,) = recorded.spans
    is_told = names.FILTER_AST in span.attributes
    assert span.attributes[names.FILTER_STATE] == ("known" if is_told else "unknown")
    assert is_told or span.dropped_attributes == 1
    assert not is_told or "value_hmac" in span.attributes[names.FILTER_AST]
