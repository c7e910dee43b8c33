"""What a reviewer sees: what the generator saw, shuffled, under names that mean nothing."""

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.review.content import evidence, seen_by_generator
from ragvigil_monitor.review.passages import LONGEST_TEXT, Passage

if TYPE_CHECKING:
    from tests.monitor.review.conftest import Desk

SEED = b"seed of an item"


def documents(*ids: str) -> str:
    return json.dumps([{"id": id_, "score": None} for id_ in ids])


def span(stage: str = "retrieve", **columns: Any) -> dict[str, Any]:
    attributes = columns.pop("attributes", None)
    return {
        "stage": stage,
        "input_documents": None,
        "output_documents": None,
        "attributes": json.dumps(attributes) if attributes is not None else None,
        **columns,
    }


def contents(*texts: str, prefix: str = "retrieval.documents") -> dict[str, str]:
    return {f"{prefix}.{rank}.document.content": text for rank, text in enumerate(texts)}


def texts(passages: list[Passage]) -> set[str | None]:
    return {passage.text for passage in passages}


RETRIEVED = span(output_documents=documents("a", "b", "c"), attributes=contents("A", "B", "C"))


def test_what_was_retrieved_is_shown_where_nothing_came_after() -> None:
    assert texts(evidence([RETRIEVED, span("generate")], SEED)) == {"A", "B", "C"}


def test_what_the_reranker_kept_is_shown() -> None:
    assert texts(evidence([RETRIEVED, span("rerank", output_documents=documents("c", "a"))], SEED)) == {"A", "C"}


def test_what_was_put_into_the_context_is_shown() -> None:
    assembled = span("assemble", attributes={"ragvigil.context.doc_ids": ["b"]})
    reranked = span("rerank", output_documents=documents("c", "a"))
    assert texts(evidence([RETRIEVED, reranked, assembled, span("generate")], SEED)) == {"B"}


def test_an_empty_context_is_no_evidence() -> None:
    assert evidence([RETRIEVED, span("assemble", attributes={"ragvigil.context.doc_ids": []})], SEED) == []


def test_a_reranker_that_kept_nothing_left_nothing() -> None:
    spans = [RETRIEVED, span("rerank", output_documents="[]"), span("generate")]
    assert evidence(spans, SEED) == []
    assert seen_by_generator(spans) == []


def test_a_search_that_found_nothing_does_not_undo_what_another_found() -> None:
    assert texts(evidence([RETRIEVED, span(output_documents="[]"), span("generate")], SEED)) == {"A", "B", "C"}


def test_what_no_stage_recorded_is_not_the_same_as_nothing() -> None:
    assert seen_by_generator([span(), span("generate")]) is None
    assert seen_by_generator([span(output_documents="[]"), span("generate")]) == []


@pytest.mark.parametrize("column", ["input", "output"])
def test_texts_are_taken_from_the_reranker_too(column: str) -> None:
    attributes = contents("X", "Y", prefix=f"reranker.{column}_documents")
    reranked = span("rerank", output_documents=documents("x", "y"), attributes=attributes)
    reranked["input_documents"] = documents("x", "y")
    assert texts(evidence([reranked], SEED)) == {"X", "Y"}


def test_a_document_whose_text_was_not_recorded_is_shown_as_missing() -> None:
    half = span(output_documents=documents("a", "b"), attributes=contents("A"))
    assert texts(evidence([half], SEED)) == {"A", None}


def test_a_text_without_an_id_is_nobodys() -> None:
    assert texts(evidence([span(output_documents=documents("a"), attributes=contents("A", "B"))], SEED)) == {"A"}


def test_a_document_that_was_found_twice_is_shown_once() -> None:
    assert len(evidence([span(output_documents=documents("a", "a"), attributes=contents("A", "A"))], SEED)) == 1


def test_the_order_depends_on_the_item_and_not_on_the_rank() -> None:
    many = [str(number) for number in range(20)]
    spans = [span(output_documents=documents(*many), attributes=contents(*many))]
    first = [passage.text for passage in evidence(spans, SEED)]
    assert first == [passage.text for passage in evidence(spans, SEED)]
    assert sorted(first, key=int) == many != first  # type: ignore[arg-type]  # every document has a text
    assert first != [passage.text for passage in evidence(spans, b"another item")]


def test_names_of_documents_do_not_appear_and_differ_between_items() -> None:
    one, other = (evidence([RETRIEVED], seed) for seed in (SEED, b"another item"))
    assert not {passage.id for passage in one} & ({passage.id for passage in other} | {"a", "b", "c"})


def test_a_very_long_text_is_cut() -> None:
    long = span(output_documents=documents("a"), attributes=contents("x" * (LONGEST_TEXT + 5)))
    assert [len(passage.text or "") for passage in evidence([long], SEED)] == [LONGEST_TEXT]


@pytest.mark.parametrize(
    "attributes",
    [
        {"retrieval.documents.0.document.content": 5},
        {"retrieval.documents.x.document.content": "A"},
        {"retrieval.documents.99999999.document.content": "A"},
        {"ragvigil.context.doc_ids": "a"},
        {},
        None,
    ],
)
def test_attributes_of_another_form_are_left_alone(attributes: dict[str, Any] | None) -> None:
    assert texts(evidence([span(output_documents=documents("a"), attributes=attributes)], SEED)) == {None}


@given(st.lists(st.text(), max_size=8))
def test_any_id_of_a_document_is_taken(ids: list[str]) -> None:
    assert len(evidence([span(output_documents=documents(*ids))], SEED)) == len(set(ids))


def test_an_item_shows_its_question_and_answer(desk: "Desk") -> None:
    seen = {desk.must_take().content.question for _ in range(12)}
    assert "What is the warranty period of the trail runner?" in seen


def test_an_answer_that_is_no_longer_stored_has_no_content(desk: "Desk") -> None:
    with desk.store.transaction() as writer:
        writer._cursor.execute("DELETE FROM answers")
        writer._cursor.execute("DELETE FROM spans")
    content = desk.must_take().content
    assert (content.question, content.answer, content.evidence) == (None, None, [])
