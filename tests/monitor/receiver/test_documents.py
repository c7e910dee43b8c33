"""Documents of a stage, however they were sent."""

import json
from typing import Any

import pytest
from tests.samples.otlp import documents_json, flattened

from ragvigil import attributes as names

FOUND = [("b", 0.9), ("a", 0.5), ("c", 0.1)]
AS_STORED = [{"id": document, "score": score} for document, score in FOUND]


@pytest.mark.parametrize("attribute", [names.STAGE_OUTPUT_DOCUMENTS, names.GENAI_RETRIEVAL_DOCUMENTS])
def test_json_documents_are_stored_in_their_order(columns_of: Any, attribute: str) -> None:
    found = columns_of({attribute: documents_json(FOUND)})
    assert json.loads(found["output_documents"]) == AS_STORED
    assert attribute not in found["attributes"]


def test_input_documents_have_their_own_column(columns_of: Any) -> None:
    found = columns_of({names.STAGE_INPUT_DOCUMENTS: documents_json(FOUND)})
    assert json.loads(found["input_documents"]) == AS_STORED
    assert found["output_documents"] is None


@pytest.mark.parametrize(
    ("prefix", "column"),
    [
        (names.RETRIEVAL_DOCUMENTS, "output_documents"),
        (names.RERANKER_OUTPUT_DOCUMENTS, "output_documents"),
        (names.RERANKER_INPUT_DOCUMENTS, "input_documents"),
    ],
)
def test_flattened_documents_are_stored_by_rank(columns_of: Any, prefix: str, column: str) -> None:
    shuffled = dict(sorted(flattened(prefix, FOUND).items(), reverse=True))
    found = columns_of(shuffled)
    assert json.loads(found[column]) == AS_STORED
    assert not found["attributes"]


def test_more_than_ten_flattened_documents_keep_their_order(columns_of: Any) -> None:
    many = [(f"d{rank}", -float(rank)) for rank in range(30)]
    found = columns_of(flattened(names.RETRIEVAL_DOCUMENTS, many))
    assert [each["id"] for each in json.loads(found["output_documents"])] == [document for document, _ in many]


def test_flattened_ids_and_scores_are_not_stored_beside_the_json(columns_of: Any) -> None:
    found = columns_of(
        {
            **flattened(names.RETRIEVAL_DOCUMENTS, FOUND),
            names.STAGE_OUTPUT_DOCUMENTS: documents_json(FOUND),
            names.GENAI_RETRIEVAL_DOCUMENTS: documents_json(FOUND),
        }
    )
    assert json.loads(found["output_documents"]) == AS_STORED
    assert not found["attributes"]


def test_a_second_json_list_that_differs_is_kept(columns_of: Any) -> None:
    other = documents_json(FOUND[:1])
    found = columns_of({names.STAGE_OUTPUT_DOCUMENTS: documents_json(FOUND), names.GENAI_RETRIEVAL_DOCUMENTS: other})
    assert found["attributes"] == {names.GENAI_RETRIEVAL_DOCUMENTS: other}


def test_contents_of_documents_are_kept(columns_of: Any) -> None:
    key = f"{names.RETRIEVAL_DOCUMENTS}.0.{names.DOCUMENT_CONTENT}"
    found = columns_of({**flattened(names.RETRIEVAL_DOCUMENTS, FOUND), key: "text"})
    assert found["attributes"] == {key: "text"}


def test_json_that_was_cut_off_is_counted_kept_and_replaced_by_flattened(columns_of: Any, flaws_of: Any) -> None:
    cut = documents_json(FOUND)[:30]
    attributes = {names.STAGE_OUTPUT_DOCUMENTS: cut, **flattened(names.RETRIEVAL_DOCUMENTS, FOUND)}
    found = columns_of(attributes)
    assert json.loads(found["output_documents"]) == AS_STORED
    assert found["attributes"] == {names.STAGE_OUTPUT_DOCUMENTS: cut}
    assert flaws_of(attributes) == {"flawed_bad_documents"}


def test_json_that_was_cut_off_alone_leaves_the_documents_unknown(columns_of: Any) -> None:
    assert columns_of({names.STAGE_OUTPUT_DOCUMENTS: '[{"id": "a", "sco'})["output_documents"] is None


@pytest.mark.parametrize(
    "wrong",
    ["{}", "null", "7", '["a"]', '[{"score": 1}]', '[{"id": null, "score": 1}]', 7, ["a"], b"[]", ""],
    ids=repr,
)
def test_what_is_no_list_of_documents_is_counted_and_kept(columns_of: Any, flaws_of: Any, wrong: object) -> None:
    attributes = {names.STAGE_OUTPUT_DOCUMENTS: wrong}
    assert columns_of(attributes)["output_documents"] is None
    assert names.STAGE_OUTPUT_DOCUMENTS in columns_of(attributes)["attributes"]
    assert flaws_of(attributes) == {"flawed_bad_documents"}


def test_an_empty_list_is_a_retrieval_that_found_nothing(columns_of: Any) -> None:
    assert columns_of({names.STAGE_OUTPUT_DOCUMENTS: "[]"})["output_documents"] == "[]"


def test_unusual_entries_are_straightened_and_the_original_is_kept(columns_of: Any) -> None:
    sent = '[{"id": 7, "score": "high", "content": "text"}, {"id": "b"}]'
    found = columns_of({names.STAGE_OUTPUT_DOCUMENTS: sent})
    assert json.loads(found["output_documents"]) == [{"id": "7", "score": None}, {"id": "b", "score": None}]
    assert found["attributes"] == {names.STAGE_OUTPUT_DOCUMENTS: sent}


def test_foreign_documents_without_ids_are_unknown_not_empty(columns_of: Any, flaws_of: Any) -> None:
    attributes = {f"{names.RETRIEVAL_DOCUMENTS}.0.{names.DOCUMENT_SCORE}": 0.5}
    assert columns_of(attributes)["output_documents"] is None
    assert columns_of(attributes)["attributes"] == attributes
    assert flaws_of(attributes) == {"flawed_document_without_id"}


@pytest.mark.parametrize("rank", ["x", "-1", "1.5", "99999999999999999999", ""])
def test_a_flattened_key_with_a_strange_rank_is_kept_as_it_is(columns_of: Any, rank: str) -> None:
    attributes = {f"{names.RETRIEVAL_DOCUMENTS}.{rank}.{names.DOCUMENT_ID}": "a"}
    found = columns_of(attributes)
    assert found["output_documents"] is None
    assert found["attributes"] == attributes
