from random import Random

import pytest

from ragvigil.predicates import where
from ragvigil_monitor.api.review_models import ReviewEvidence
from ragvigil_monitor.demo.access import entitlement_of, may_read
from ragvigil_monitor.demo.answerer import REFUSAL, Reply
from ragvigil_monitor.demo.context import Context
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.incidents import unsupported_claims
from ragvigil_monitor.demo.incidents.unsupported_claims import INVENTED
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.parts import Parts
from ragvigil_monitor.demo.reviewer import SENSITIVITY, SPECIFICITY, label_of, said_of
from ragvigil_monitor.review.labels import Label

EVIDENCE = [
    ReviewEvidence(id="a", text="Read the rows\nof a file.\n\nRaise ValueError when it is closed."),
    ReviewEvidence(id="b", text=None),
]
DRAWN = 20_000
ENTITLED = where(entitlement_of("platform"))


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("Read the rows of a file. [1] Raise ValueError when it is closed. [1]", Label.SUPPORTED),
        ("Read the rows of a file. [1] It was invented in 1974.", Label.PARTLY),
        ("It was invented in 1974.", Label.UNSUPPORTED),
        (REFUSAL, Label.NO_CLAIM),
        ("", Label.NO_CLAIM),
    ],
    ids=["quoted", "half of it", "nothing of it", "refusal", "no answer"],
)
def test_a_sentence_is_right_where_it_stands_in_the_evidence(answer: str, label: Label) -> None:
    assert label_of(answer, EVIDENCE) is label


def test_without_texts_nothing_is_carried() -> None:
    assert label_of("Read the rows of a file. [1]", [ReviewEvidence(id="a", text=None)]) is Label.UNSUPPORTED


@pytest.mark.parametrize(
    ("right", "says_so"),
    [(Label.SUPPORTED, SPECIFICITY), (Label.PARTLY, SENSITIVITY), (Label.UNSUPPORTED, SENSITIVITY)],
)
def test_reviewers_err_as_often_as_they_should(right: Label, says_so: float) -> None:
    rng = Random(1)
    said = [said_of(right, rng.random()) for _ in range(DRAWN)]
    assert sum(label is right for label in said) / DRAWN == pytest.approx(says_so, abs=0.005)
    assert {label is Label.SUPPORTED for label in said} == {True, False}


def test_a_refusal_is_seen_by_everybody() -> None:
    assert {said_of(Label.NO_CLAIM, chance) for chance in (0.0, 0.5, 0.999)} == {Label.NO_CLAIM}


def answered(parts: Parts, library: Library, number: int) -> tuple[Reply, list[ReviewEvidence]]:
    question = parts.questioner.ask(dice("review", number), lambda entry: may_read("platform", entry.package))
    hits = library.index.search(library.encoder.encode(question.text), ENTITLED, 6)
    context = Context(tuple(library.entries[hit.id] for hit in hits), 1, truncated=False)
    shown = [ReviewEvidence(id=entry.id, text=entry.text) for entry in context.entries]
    return parts.answerer.answer(question.text, context), shown


def test_what_the_healthy_app_says_is_carried_and_what_the_incident_adds_is_not(
    healthy: Parts, library: Library
) -> None:
    changed = unsupported_claims.change(healthy)
    labels = {"healthy": set[Label](), "changed": set[Label]()}
    for number in range(300):
        for name, parts in (("healthy", healthy), ("changed", changed)):
            reply, shown = answered(parts, library, number)
            labels[name].add(label_of(reply.text, shown))
            assert reply.text.endswith(INVENTED) == (name == "changed" and not reply.refused)
    assert labels == {
        "healthy": {Label.SUPPORTED, Label.NO_CLAIM},
        "changed": {Label.PARTLY, Label.NO_CLAIM},
    }
