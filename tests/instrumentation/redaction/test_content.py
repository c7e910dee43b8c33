"""Modes by field: what leaves in full, hashed, or not at all."""

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.samples.keeping import Redacting

import ragvigil
from ragvigil import attributes as names
from ragvigil.counts import Counters
from ragvigil.redaction.content import DEFAULT, FIELDS, checked_content
from ragvigil.redaction.redactor import Redactor
from ragvigil.testing import SpanSnapshot

DOCUMENT = Path(__file__).parents[3] / "docs" / "redaction.md"
HMAC = names.CONTENT_HMAC_PREFIX
CONTENT = [name for name, field in FIELDS.items() if field.is_content]


def test_all_is_in_full_but_user_ids() -> None:
    modes = checked_content("full")
    assert {name for name, mode in modes.items() if mode != "full"} == {"user_id", "experiment_unit"}


def test_one_mode_is_for_content_and_not_for_identifiers() -> None:
    modes = checked_content("none")
    assert {modes[name] for name in CONTENT} == {"none"}
    assert {modes[name] for name in FIELDS if name not in CONTENT} == {"full", "hashed"}


def test_what_cannot_be_hashed_is_left_out() -> None:
    assert checked_content("hashed")["query_vector"] == "none"
    assert checked_content({DEFAULT: "hashed", "query_vector": "full"})["query_vector"] == "full"


def test_a_field_has_its_own_mode_and_the_rest_the_default() -> None:
    modes = checked_content({"default": "none", "question": "full", "user_id": "full"})
    assert (modes["question"], modes["answer"], modes["user_id"], modes["session_id"]) == (
        "full",
        "none",
        "full",
        "full",
    )


def test_every_field_is_explained() -> None:
    explained = DOCUMENT.read_text(encoding="utf-8")
    assert [name for name in [*FIELDS, DEFAULT] if f"`{name}`" not in explained] == []


def answered(**facts: Any) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(**facts)


def one(redacting: Redacting, content: Any, **facts: Any) -> SpanSnapshot:
    out = redacting(content=content)
    answered(**facts)
    return out().one("ask")


def test_a_hash_stands_beside_and_never_in_place_of_a_text(redacting: Redacting) -> None:
    span = one(redacting, {"question": "hashed"}, question="why?", answer="because")
    assert names.INPUT_VALUE not in span.attributes
    assert span.attributes[names.OUTPUT_VALUE] == "because"
    assert len(span.attributes[f"{HMAC}question"]) == 32


def test_equal_contents_have_equal_hashes_and_fields_cannot_be_joined(redacting: Redacting) -> None:
    out = redacting(content={"default": "hashed"})
    answered(question="why?", answer="why?")
    answered(question="why?", answer="how?")
    first, second = [span.attributes for span in out().named("ask")]
    assert first[f"{HMAC}question"] == second[f"{HMAC}question"]
    assert first[f"{HMAC}answer"] != second[f"{HMAC}answer"]
    assert first[f"{HMAC}question"] != first[f"{HMAC}answer"]


def test_another_secret_makes_other_hashes(redacting: Redacting) -> None:
    hashes = set()
    for secret in (b"k" * 16, b"l" * 16, b"k" * 16):
        out = redacting(content="hashed", secret_key=secret)
        answered(question="why?")
        hashes.add(out().one("ask").attributes[f"{HMAC}question"])
    assert len(hashes) == 2


def test_none_leaves_nothing_and_is_not_counted_as_lost(redacting: Redacting) -> None:
    span = one(redacting, "none", question="why?", answer="because", intent="how-to", confidence=0.5)
    assert not {names.INPUT_VALUE, names.OUTPUT_VALUE} & span.attributes.keys()
    assert not [key for key in span.attributes if key.startswith(HMAC)]
    assert (span.attributes[names.INTENT], span.attributes[names.CONFIDENCE]) == ("how-to", 0.5)
    assert span.dropped_attributes == 0
    assert ragvigil.counts().redaction == ragvigil.RedactionCounts()


@pytest.mark.parametrize("mode", ["full", "hashed", "none"])
def test_numbers_of_any_library_stay(redacting: Redacting, mode: str) -> None:
    facts: dict[str, Any] = {
        "input_tokens": np.int64(5),
        "output_tokens": np.float32(6),
        "cost_usd": Decimal("0.1"),
    }
    out = redacting(content=mode, redactors=[str.upper])
    with ragvigil.stage("generate") as stage:
        stage.set(**facts)
    with ragvigil.pipeline("ask") as answer:
        answer.set(confidence=Fraction(1, 4))  # type: ignore[arg-type]
    found = out().one("generate").attributes
    assert (found[names.USAGE_INPUT_TOKENS], found[names.USAGE_OUTPUT_TOKENS]) == (5, 6)
    assert found[names.STAGE_COST] == 0.1
    assert out().one("ask").attributes[names.CONFIDENCE] == 0.25


def test_what_holds_a_text_is_no_number(redacting: Redacting) -> None:
    class Amount(str):
        def __float__(self) -> float:
            return 5.0

    span = one(redacting, "none", question=Amount("5 apples"), answer=np.str_("5"))
    assert not {names.INPUT_VALUE, names.OUTPUT_VALUE} & span.attributes.keys()


def test_user_ids_are_pseudonyms_unless_one_says_otherwise(redacting: Redacting) -> None:
    hashed = one(redacting, "full", user_id="u-5", session_id="s-1").attributes
    assert hashed[names.ENDUSER_PSEUDO_ID] == hashed[names.USER_ID] != "u-5"
    assert hashed[names.SESSION_ID] == "s-1"
    assert one(redacting, {"user_id": "full"}, user_id="u-5").attributes[names.USER_ID] == "u-5"
    assert names.USER_ID not in one(redacting, {"user_id": "none"}, user_id="u-5").attributes


@pytest.mark.parametrize("key", [names.USER_ID, names.ENDUSER_PSEUDO_ID, names.ENDUSER_ID])
def test_a_user_id_is_one_whoever_sets_it(redacting: Redacting, key: str) -> None:
    out = redacting()
    with ragvigil.pipeline("ask") as answer:
        answer.set_attribute(key, "u-5")
    answered(user_id="u-5")
    by_attribute, by_fact = [span.attributes for span in out().named("ask")]
    assert by_attribute[key] == by_fact[names.USER_ID]


@pytest.mark.parametrize("value", [5, ["u-5"], b"u-5", 5.5], ids=str)
def test_a_user_id_of_another_type_does_not_leave_either(redacting: Redacting, value: Any) -> None:
    out = redacting()
    with ragvigil.pipeline("ask") as answer:
        answer.set_attribute(names.USER_ID, value)
        answer.set(user_id=value)
    found = out().one("ask").attributes
    assert len(found[names.USER_ID]) == 32
    assert names.ENDUSER_PSEUDO_ID not in found


def test_what_is_recorded_is_not_touched_by_redaction(redacting: Redacting) -> None:
    """Others may hold on to the same facts meanwhile."""
    out = redacting(content="hashed", redactors=[str.upper])
    with ragvigil.stage("retrieve") as stage:
        stage.set(query="why?")
        stage.set_attribute("customer", "acme")
        stage.add_event("chosen", {"why": "words"})
    fields, rare = stage.fields, stage.rare
    out()
    assert fields == {"query": "why?"}
    assert rare is not None
    assert (rare.attributes, rare.events[0].attributes) == ({"customer": "acme"}, {"why": "words"})
    assert stage.fields != fields


def test_a_unit_of_an_experiment_is_comparable_with_users() -> None:
    answer = ragvigil.pipeline("ask")
    answer.fields = {"user_id": "u-5", "experiment_unit": "u-5", "kind": "TOOL", "experiment_arm": "b"}
    redactor = Redactor(checked_content("none"), [str.lower], b"s" * 16, Counters())
    assert redactor.redact(answer)
    assert answer.fields.pop("user_id") == answer.fields.pop("experiment_unit") != "u-5"
    assert answer.fields == {"kind": "TOOL", "experiment_arm": "b"}


def test_ids_of_documents_stay_equal_wherever_they_are(redacting: Redacting) -> None:
    out = redacting(content={"document_ids": "hashed"})
    with ragvigil.pipeline("ask") as answer:
        with ragvigil.stage("retrieve") as stage:
            stage.outputs(["a.pdf", 7], [0.5, 0.25])
        with ragvigil.stage("assemble") as stage:
            stage.context(["a.pdf", "7"])
        answer.set(citations=["a.pdf"])
    exporter = out()
    first, second = exporter.one("assemble").attributes[names.CONTEXT_DOC_IDS]
    assert first in exporter.one("ask").attributes[names.CITATIONS]
    found = exporter.one("retrieve").attributes
    assert [found[f"{names.RETRIEVAL_DOCUMENTS}.{rank}.{names.DOCUMENT_ID}"] for rank in (0, 1)] == [first, second]
    assert found[f"{names.RETRIEVAL_DOCUMENTS}.1.{names.DOCUMENT_SCORE}"] == 0.25


def test_texts_of_documents_are_hashed_in_their_order(redacting: Redacting) -> None:
    out = redacting(content={"document_texts": "hashed"})
    with ragvigil.stage("retrieve") as stage:
        stage.outputs(["a", "b", "c"], texts=["same", None, "same"])
    span = out().one("retrieve")
    first, second, third = span.attributes[f"{HMAC}output_documents.texts"]
    assert (first, second) == (third, "")
    assert not [key for key in span.attributes if key.endswith(names.DOCUMENT_CONTENT)]


def test_slices_intent_and_session_on_request(redacting: Redacting) -> None:
    out = redacting(content={"slices": "hashed", "intent": "none", "session_id": "hashed"})
    with ragvigil.pipeline("ask", intent="how-to") as answer:
        answer.slice("team", "data")
        answer.slice("group", "data")
        answer.set(session_id="s-1")
    found = out().one("ask").attributes
    assert found[f"{names.SLICE_PREFIX}team"] != found[f"{names.SLICE_PREFIX}group"]
    assert names.INTENT not in found
    assert found[names.SESSION_ID] == found[names.CONVERSATION_ID] != "s-1"


def test_the_vector_on_request(redacting: Redacting) -> None:
    out = redacting(content={"query_vector": "none"})
    with ragvigil.stage("embed") as stage:
        stage.vector([1.0, 2.0])
    assert not {names.QUERY_VECTOR, names.EMBEDDINGS_DIMENSION} & out().one("embed").attributes.keys()


def test_own_attributes_numbers_stay_and_texts_go(redacting: Redacting) -> None:
    out = redacting(content={"attributes": "hashed", "events": "none"})
    with ragvigil.stage("mine") as stage:
        stage.set_attributes({"shard": 3, "is_new": True, "customer": "acme", "raw": b"acme", "tags": ["a", "b"]})
        stage.add_event("chosen", {"customer": "acme", "rank": 1})
    span = out().one("mine")
    assert (span.attributes["shard"], span.attributes["is_new"]) == (3, True)
    assert not {"customer", "raw", "tags"} & span.attributes.keys()
    assert len(span.attributes[f"{HMAC}customer"]) == 32
    assert span.events[0].attributes == {"rank": 1}


@pytest.mark.parametrize("mode", ["hashed", "none"])
def test_an_exception_keeps_its_type_and_the_status(redacting: Redacting, mode: str) -> None:
    out = redacting(content={"exceptions": mode})
    with pytest.raises(KeyError), ragvigil.stage("mine"):
        raise KeyError("a user's words")
    span = out().one("mine")
    assert (span.status, span.status_message) == ("error", "")
    assert span.events[0].attributes[names.EXCEPTION_TYPE] == "KeyError"
    assert f"{HMAC}{names.EXCEPTION_MESSAGE}" in span.events[0].attributes or mode == "none"
    assert not any("a user's words" in str(value) for value in span.events[0].attributes.values())


def test_feedback_ids_stay_idempotent_when_hashed(redacting: Redacting) -> None:
    out = redacting(content={"feedback_id": "hashed"})
    with ragvigil.pipeline("ask") as answer:
        pass
    for feedback_id in ("f-1", "f-1", "f-2"):
        assert ragvigil.feedback("copy", answer=answer, feedback_id=feedback_id)
    sent = [log.attributes[names.FEEDBACK_ID] for log in out().logs if names.FEEDBACK_ID in log.attributes]
    assert (sent[0] == sent[1], sent[0] == sent[2], "f-1" in sent) == (True, False, False)


def test_a_field_nobody_knows_is_content(redacting: Redacting) -> None:
    out = redacting(content={**dict.fromkeys(FIELDS, "full"), "default": "hashed"})
    with ragvigil.stage("mine") as stage:
        stage.fields |= {"of_tomorrow": "words", "parts_of_tomorrow": ["words"]}
    assert f"{HMAC}of_tomorrow" in out().one("mine").attributes
    assert not any(b"words" in payload for payload in out().payloads)
