"""Texts of documents: recorded where that is asked for, cut, and never at the cost of the ids."""

import json
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragvigil
from ragvigil import attributes as names
from ragvigil.documents import LONGEST_TEXT, returned
from ragvigil.testing import InMemoryExporter, SpanSnapshot

Exported = Callable[[], InMemoryExporter]
IDS = ["a", "b"]
TEXTS = ["Returns are free.", "Gift cards never expire."]


@pytest.fixture
def recorded() -> Iterator[Callable[[], SpanSnapshot]]:
    """Ragvigil with texts of documents; call it for the only span so far."""
    exporter = InMemoryExporter()
    ragvigil.configure(service_name="shop", exporter=exporter, document_texts=True)

    def only_span() -> SpanSnapshot:
        assert ragvigil.flush()
        (span,) = exporter.spans
        return span

    yield only_span
    ragvigil.shutdown(timeout_s=1.0)


def contents(span: SpanSnapshot, prefix: str = names.RETRIEVAL_DOCUMENTS) -> dict[str, str]:
    """The texts below a prefix, by rank."""
    found = {key: value for key, value in span.attributes.items() if key.endswith(names.DOCUMENT_CONTENT)}
    assert all(key.startswith(f"{prefix}.") for key in found)
    return {key.removeprefix(f"{prefix}.").partition(".")[0]: text for key, text in found.items()}


def ids(span: SpanSnapshot) -> list[str]:
    return [document["id"] for document in json.loads(span.attributes[names.STAGE_OUTPUT_DOCUMENTS])]


@pytest.mark.parametrize("stage", ["retrieve", "rerank", "filter"])
def test_a_stage_records_the_texts_that_it_returned(recorded: Callable[[], SpanSnapshot], stage: str) -> None:
    with ragvigil.stage(stage) as s:
        s.outputs(IDS, [0.5, 0.25], TEXTS)
    prefix = names.RERANKER_OUTPUT_DOCUMENTS if stage == "rerank" else names.RETRIEVAL_DOCUMENTS
    assert contents(recorded(), prefix) == {"0": TEXTS[0], "1": TEXTS[1]}


def test_a_reranker_records_the_texts_that_it_was_given(recorded: Callable[[], SpanSnapshot]) -> None:
    with ragvigil.stage("rerank") as s:
        s.inputs(IDS, texts=TEXTS)
    assert contents(recorded(), names.RERANKER_INPUT_DOCUMENTS) == {"0": TEXTS[0], "1": TEXTS[1]}


def test_texts_given_to_another_stage_have_no_place_and_are_counted(
    recorded: Callable[[], SpanSnapshot], lenient: None, caplog: pytest.LogCaptureFixture
) -> None:
    with ragvigil.stage("assemble") as s:
        s.inputs(IDS, texts=TEXTS)
    span = recorded()
    assert contents(span) == {}
    assert span.dropped_attributes == 1
    assert "only rerank stages have a place for them" in caplog.text


@pytest.mark.parametrize(
    "result",
    [
        [{"id": "a", "text": TEXTS[0]}, {"id": "b", "text": TEXTS[1]}],
        [{"id": "a", "page_content": TEXTS[0]}, {"id": "b", "content": TEXTS[1]}],
        [SimpleNamespace(id="a", text=TEXTS[0]), SimpleNamespace(id="b", text=None, page_content=TEXTS[1])],
        [(SimpleNamespace(id="a", page_content=TEXTS[0]), 0.5), (SimpleNamespace(id="b", content=TEXTS[1]), 0.25)],
        {"ids": IDS, "texts": TEXTS},
    ],
    ids=["text", "page_content and content", "objects", "objects with a score", "lists"],
)
def test_texts_are_found_in_what_retrievers_return(recorded: Callable[[], SpanSnapshot], result: object) -> None:
    assert ragvigil.retriever(lambda _: result)("files") is result
    span = recorded()
    assert contents(span) == {"0": TEXTS[0], "1": TEXTS[1]}
    assert ids(span) == IDS


def test_nothing_of_a_text_leaves_the_process_unless_it_is_asked_for(exported: Exported) -> None:
    @ragvigil.retriever
    def search(query: str) -> list[dict[str, str]]:
        return [{"id": "a", "text": TEXTS[0]}]

    search("files")
    with ragvigil.stage("rerank") as s:
        s.inputs(IDS, texts=TEXTS)
        s.outputs(IDS, texts=TEXTS)
    assert len(exported().spans) == 2
    assert not any(names.DOCUMENT_CONTENT in key for span in exported().spans for key in span.attributes)


def test_a_search_that_records_its_own_documents_is_believed(recorded: Callable[[], SpanSnapshot]) -> None:
    @ragvigil.retriever
    def search(query: str) -> list[dict[str, str]]:
        ragvigil.current_stage().outputs(["c"], texts=["its own"])
        return [{"id": "a", "text": "another"}]

    search("files")
    assert contents(recorded()) == {"0": "its own"}


def test_later_documents_without_texts_replace_those_with_texts(recorded: Callable[[], SpanSnapshot]) -> None:
    with ragvigil.stage("retrieve") as s:
        s.outputs(IDS, texts=TEXTS)
        s.outputs(["c"])
    assert contents(recorded()) == {}


def test_texts_may_be_told_before_the_stage_begins(recorded: Callable[[], SpanSnapshot]) -> None:
    s = ragvigil.stage("retrieve")
    s.outputs(IDS, texts=TEXTS)
    with s:
        pass
    assert contents(recorded()) == {"0": TEXTS[0], "1": TEXTS[1]}


def test_lists_of_texts_are_copied_at_once(recorded: Callable[[], SpanSnapshot]) -> None:
    texts = list(TEXTS)
    with ragvigil.stage("retrieve") as s:
        s.outputs(IDS, texts=texts)
        texts.reverse()
    assert contents(recorded()) == {"0": TEXTS[0], "1": TEXTS[1]}


def test_long_texts_are_cut_and_strange_ones_arrive(recorded: Callable[[], SpanSnapshot]) -> None:
    with ragvigil.stage("retrieve") as s:
        s.outputs(["a", "b", "c"], texts=["x" * 1_000_000, "\ud800 \x00 \U0001f600", ""])
    assert contents(recorded()) == {"0": "x" * LONGEST_TEXT, "1": "? \x00 \U0001f600", "2": ""}


def test_what_is_no_text_is_left_out_and_counted(
    recorded: Callable[[], SpanSnapshot], lenient: None, caplog: pytest.LogCaptureFixture
) -> None:
    strange: list[Any] = [None, b"bytes", float("nan"), "kept", object(), str]
    with ragvigil.stage("retrieve") as s:
        s.outputs(list("abcdef"), texts=strange)
    span = recorded()
    assert contents(span) == {"3": "kept"}
    assert span.dropped_attributes == 4
    assert ids(span) == list("abcdef")
    assert "expected text, got bytes" in caplog.text


@pytest.mark.parametrize(
    "texts",
    [["only one"], [], 5, "ab", {"a": "b"}, iter("ab")],
    ids=["too few", "none", "number", "text", "mapping", "iterator"],
)
def test_texts_that_cannot_be_read_are_counted_and_cost_no_ids(
    recorded: Callable[[], SpanSnapshot], lenient: None, texts: Any
) -> None:
    with ragvigil.stage("retrieve") as s:
        s.outputs(IDS, texts=texts)
    span = recorded()
    assert contents(span) == {}
    assert ids(span) == IDS
    assert span.dropped_attributes == 1


class Hostile:
    """A document whose text cannot be read."""

    id = "b"

    @property
    def text(self) -> str:
        raise RuntimeError("no text today")


def test_a_document_whose_text_fails_costs_that_text_only(recorded: Callable[[], SpanSnapshot], lenient: None) -> None:
    documents = [SimpleNamespace(id="a", text="kept"), Hostile()]
    assert ragvigil.retriever(lambda _: documents)("files") is documents
    span = recorded()
    assert ids(span) == IDS
    assert contents(span) == {"0": "kept"}
    assert span.dropped_attributes == 1


ANYTHING = st.none() | st.integers() | st.floats() | st.text(max_size=3) | st.binary(max_size=3) | st.just(Hostile())
DOCUMENTS = st.dictionaries(st.sampled_from(["id", "score", "text", "page_content", "content", "metadata"]), ANYTHING)
RESULTS = st.lists(DOCUMENTS | ANYTHING | st.tuples(DOCUMENTS, ANYTHING), max_size=4) | st.fixed_dictionaries(
    {"ids": st.lists(ANYTHING, max_size=2)}, optional={"texts": ANYTHING | st.lists(ANYTHING, max_size=3)}
)


def read(result: object, *, texts: bool) -> object:
    """The ids and scores that are found, or the kind of refusal."""
    try:
        return returned(result, texts=texts)[:2]
    except (TypeError, ValueError) as refusal:
        return type(refusal)


@given(RESULTS)
def test_ids_and_scores_are_the_same_with_and_without_texts(result: object) -> None:
    assert repr(read(result, texts=True)) == repr(read(result, texts=False))


def test_texts_come_before_everything_that_the_monitor_needs(recorded: Callable[[], SpanSnapshot]) -> None:
    with ragvigil.stage("retrieve") as s:
        s.outputs(IDS, [0.5, 0.25], TEXTS)
    keys = list(recorded().attributes)
    assert all(key.endswith(names.DOCUMENT_CONTENT) for key in keys[:2])
    assert keys[-1] == names.SPAN_KIND
