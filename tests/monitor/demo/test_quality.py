"""Whether the app is a RAG app that is worth watching: it finds, ranks, cites and refuses as one would expect."""

from dataclasses import dataclass

import pytest

from ragvigil.predicates import where
from ragvigil_monitor.demo.access import TEAMS, entitlement_of, may_read
from ragvigil_monitor.demo.answerer import Reply
from ragvigil_monitor.demo.context import assemble
from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.intents import INTENTS
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.parts import Parts
from ragvigil_monitor.demo.questioner import Question
from ragvigil_monitor.demo.reranker import CANDIDATES
from ragvigil_monitor.demo.rewriter import rewrite

ASKED = 1500


@dataclass(frozen=True)
class Outcome:
    """One question, whether its team may read what it is about, and where that was seen."""

    question: Question
    allowed: bool
    retrieved: bool
    ranked: bool
    in_context: bool
    reply: Reply


def asked_by(team: str, number: int, library: Library, parts: Parts) -> Outcome:
    def readable(entry: Entry) -> bool:
        return may_read(team, entry.package)

    question = parts.questioner.ask(dice("quality", number), readable)
    about = question.about[0]
    query = rewrite(question.text)
    allowed = where(entitlement_of(team), *parts.extract(query))
    found = library.index.search(library.encoder.encode(query), allowed, CANDIDATES)
    ranked = parts.reranker.rerank(query, found)
    context = assemble(ranked, library.entries)
    return Outcome(
        question,
        readable(library.entries[about]),
        about in [hit.id for hit in found],
        about in [hit.id for hit in ranked],
        about in [entry.id for entry in context.entries],
        parts.answerer.answer(query, context),
    )


@pytest.fixture(scope="module")
def outcomes(library: Library) -> list[Outcome]:
    parts, teams = library.healthy_parts(seed=7), list(TEAMS)
    return [asked_by(teams[number % len(teams)], number, library, parts) for number in range(ASKED)]


def share(outcomes: list[bool]) -> float:
    return sum(outcomes) / len(outcomes)


@pytest.fixture(scope="module")
def allowed(outcomes: list[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if outcome.allowed]


@pytest.fixture(scope="module")
def forbidden(outcomes: list[Outcome]) -> list[Outcome]:
    return [outcome for outcome in outcomes if not outcome.allowed]


def test_what_a_question_is_about_is_mostly_found_ranked_and_read(allowed: list[Outcome]) -> None:
    assert share([outcome.retrieved for outcome in allowed]) > 0.85
    assert share([outcome.ranked for outcome in allowed]) > 0.85
    assert share([outcome.in_context for outcome in allowed]) > 0.8


def test_reranking_keeps_most_of_what_was_found(allowed: list[Outcome]) -> None:
    found = [outcome for outcome in allowed if outcome.retrieved]
    assert share([outcome.ranked for outcome in found]) > 0.93


def test_most_answers_cite_what_the_question_is_about(allowed: list[Outcome]) -> None:
    cited = [outcome.question.about[0] in outcome.reply.citations for outcome in allowed]
    assert share(cited) > 0.65


@pytest.mark.parametrize("intent", [intent.name for intent in INTENTS])
def test_no_intent_is_hopeless(allowed: list[Outcome], intent: str) -> None:
    ours = [outcome for outcome in allowed if outcome.question.intent == intent]
    assert len(ours) > 50
    assert share([outcome.in_context for outcome in ours]) > 0.7
    assert share([outcome.reply.refused for outcome in ours]) < 0.2


def test_few_answers_are_refused_to_those_who_may_read(allowed: list[Outcome]) -> None:
    assert share([outcome.reply.refused for outcome in allowed]) < 0.08


def test_most_questions_about_what_is_forbidden_are_refused(forbidden: list[Outcome]) -> None:
    assert len(forbidden) > 40
    assert share([outcome.reply.refused for outcome in forbidden]) > 0.6


def test_what_is_forbidden_is_never_seen(forbidden: list[Outcome]) -> None:
    assert not any(outcome.retrieved or outcome.in_context for outcome in forbidden)
    assert not any(outcome.question.about[0] in outcome.reply.citations for outcome in forbidden)


def test_an_answer_is_more_confident_with_the_right_document(allowed: list[Outcome]) -> None:
    with_it = [outcome.reply.support for outcome in allowed if outcome.in_context]
    without = [outcome.reply.support for outcome in allowed if not outcome.in_context]
    assert sum(with_it) / len(with_it) > sum(without) / len(without) + 0.1
