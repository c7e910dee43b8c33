"""An extractive answerer: sentences of the context that cover the question, each with its source, or a refusal."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from ragvigil_monitor.demo.context import Context
from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.embedding import Encoder
from ragvigil_monitor.demo.words import different_words, words

MINIMUM_SUPPORT = 0.35
"""Share of the question's weight that the chosen sentences must cover."""
SENTENCES = 3
LEAD = 3.0
"""What being the first sentence of its document is worth: about one word. Docstrings begin with what matters."""
REFUSAL = "I cannot find this in the documentation that you may read."

_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z>])|\n\s*\n")


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, the documents that it cites in order, and its support in [0, 1]."""

    text: str
    citations: tuple[str, ...]
    support: float
    refused: bool


class Writer(Protocol):
    """Whoever answers from documents."""

    def answer(self, question: str, context: Context) -> Reply:
        """The answer to a question, or a refusal."""
        ...


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a document and its words; the document's name counts as said."""

    source: str
    text: str
    words: frozenset[str]
    is_lead: bool

    def gain(self, missing: Mapping[str, float]) -> float:
        """How much of the `missing` weight it covers; nothing for nothing."""
        covered = sum([weight for word, weight in missing.items() if word in self.words])
        return covered + LEAD if covered and self.is_lead else covered


@dataclass(frozen=True, slots=True, repr=False)
class Answerer:
    """Quotes; it never says what no document says."""

    encoder: Encoder
    _sentences: dict[str, tuple[Sentence, ...]] = field(default_factory=dict)

    def answer(self, question: str, context: Context) -> Reply:
        """The sentences that together cover most of the question, or a refusal."""
        missing = {word: self.encoder.weight(word) for word in different_words(question)}
        total = sum(missing.values()) or 1.0
        chosen = self._choose([s for entry in context.entries for s in self._split(entry)], missing)
        support = 1 - sum(missing.values()) / total
        if not chosen or support < MINIMUM_SUPPORT:
            return Reply(REFUSAL, (), max(support, 0.0), refused=True)
        sources = tuple(dict.fromkeys(sentence.source for sentence in chosen))
        cited = (f"{sentence.text} [{sources.index(sentence.source) + 1}]" for sentence in chosen)
        return Reply(" ".join(cited), sources, support, refused=False)

    def _choose(self, sentences: Sequence[Sentence], missing: dict[str, float]) -> list[Sentence]:
        """Greedily the sentence that covers most of what is still `missing`, which shrinks."""
        chosen: list[Sentence] = []
        while sentences and len(chosen) < SENTENCES:
            best = max(sentences, key=lambda sentence: sentence.gain(missing))
            if not missing.keys() & best.words:
                break
            chosen.append(best)
            for word in missing.keys() & best.words:
                del missing[word]
        return chosen

    def _split(self, entry: Entry) -> tuple[Sentence, ...]:
        if entry.id not in self._sentences:
            name = frozenset(words(entry.id))
            parts = [" ".join(part.split()) for part in _SENTENCE_END.split(entry.text)]
            self._sentences[entry.id] = tuple(
                Sentence(entry.id, part, frozenset(words(part)) | name, is_lead=place == 0)
                for place, part in enumerate(parts)
                if part
            )
        return self._sentences[entry.id]
