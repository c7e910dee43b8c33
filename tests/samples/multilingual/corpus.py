"""Passages in three languages, questions about them, and who may read which."""

import gzip
import json
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

LOCALES = ("de", "en", "es")
TENANTS = ("acme", "globex")
UNTRANSLATED = 0.4
ON_ONE_SHELF = 0.8
ASKED_BY_A_STRANGER = 0.1

_REPOSITORY = Path(__file__).parents[3]
_WRITTEN = Path(__file__).with_name("topics.txt")


@dataclass(frozen=True, slots=True)
class Passage:
    """One text in one language. topic: what all its translations share."""

    id: str
    topic: str
    locale: str
    text: str


@dataclass(frozen=True, slots=True)
class Question:
    """A question in one language; the passages of `topic` answer it."""

    id: str
    topic: str
    locale: str
    text: str


@dataclass(frozen=True, slots=True)
class Corpus:
    """Every passage in every language, and the questions."""

    passages: list[Passage]
    questions: list[Question]


@dataclass(frozen=True, slots=True)
class Document:
    """A passage that the index holds, for some tenants."""

    passage: Passage
    tenants: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Request:
    """A question as somebody of a tenant asks it."""

    question: Question
    tenant: str

    def may_see(self, document: Document) -> bool:
        """Whether whoever asks is entitled to a document."""
        return self.tenant in document.tenants

    def is_answered_by(self, document: Document) -> bool:
        """Whether a document holds the evidence, in whatever language."""
        return document.passage.topic == self.question.topic


def written() -> Corpus:
    """The forty topics that were written for these tests."""
    passages: list[Passage] = []
    questions: list[Question] = []
    for block in _WRITTEN.read_text(encoding="utf-8").strip().split("\n\n"):
        topic, *lines = block.splitlines()
        for line in lines:
            locale, _, both = line.partition(": ")
            text, _, question = both.partition(" | ")
            passages.append(Passage(f"{topic}:{locale}", topic, locale, text))
            questions.append(Question(f"{topic}?{locale}", topic, locale, question))
    return Corpus(passages, questions)


def folder_of_real_text() -> Path:
    """Where real passages and questions are, which are not part of this repository."""
    return Path(os.environ.get("RAGVIGIL_TEST_DATA", _REPOSITORY.parent / "shared" / "data"))


def real(folder: Path) -> Corpus:
    """The passages and questions of `passages.jsonl.gz` and `questions.jsonl.gz`."""
    return Corpus(
        [Passage(p["doc_id"], p["passage"], p["locale"], p["text"]) for p in _lines(folder / "passages.jsonl.gz")],
        [
            Question(q["query_id"], q["gold_passage"], q["locale"], q["question"])
            for q in _lines(folder / "questions.jsonl.gz")
        ],
    )


def real_or_skip() -> Corpus:
    """The real texts; skips the test where there are none."""
    folder = folder_of_real_text()
    if not (folder / "questions.jsonl.gz").exists():
        pytest.skip(f"no real text in {folder}; RAGVIGIL_TEST_DATA names a folder with passages and questions")
    return real(folder)


def sample(questions: Sequence[Question], size: int, seed: int) -> list[Question]:
    """So many of the questions, or all where there are fewer."""
    return random.Random(seed).sample(questions, min(size, len(questions)))


def shelved(corpus: Corpus, seed: int) -> list[Document]:
    """What the index holds: some topics in one language only, most for one tenant only."""
    chance = random.Random(seed)
    documents: list[Document] = []
    for topic in dict.fromkeys(passage.topic for passage in corpus.passages):
        tenants = (chance.choice(TENANTS),) if chance.random() < ON_ONE_SHELF else TENANTS
        locales = (chance.choice(LOCALES),) if chance.random() < UNTRANSLATED else LOCALES
        documents += [Document(p, tenants) for p in corpus.passages if p.topic == topic and p.locale in locales]
    return documents


def requests(questions: Sequence[Question], documents: Sequence[Document], seed: int) -> list[Request]:
    """Who asks: mostly somebody who may see the evidence, sometimes somebody of any tenant."""
    chance = random.Random(seed)
    tenants = {document.passage.topic: document.tenants for document in documents}
    return [
        Request(question, chance.choice(TENANTS if chance.random() < ASKED_BY_A_STRANGER else tenants[question.topic]))
        for question in questions
    ]


def _lines(file: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)
