"""Reranking by lexical overlap: how much of the question's weight a document's words cover."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragvigil_monitor.demo.embedding import Encoder
from ragvigil_monitor.demo.index import Hit
from ragvigil_monitor.demo.words import different_words

MODEL = "lexical-overlap-1"
CANDIDATES = 10
"""How many documents are reranked."""
KEPT = 6
"""How many go on."""


@dataclass(frozen=True, slots=True, repr=False)
class Reranker:
    """Scores documents by the words that they share with the question, idf-weighted, beside their similarity."""

    words_of: Mapping[str, frozenset[str]]
    encoder: Encoder

    def rerank(self, question: str, hits: Sequence[Hit]) -> list[Hit]:
        """The best of `hits`, at most KEPT, best first; scores in [0, 2]."""
        weights = {word: self.encoder.weight(word) for word in different_words(question)}
        total = sum(weights.values()) or 1.0
        scored = [replace(hit, score=hit.score + self._overlap(hit.id, weights) / total) for hit in hits]
        return sorted(scored, key=lambda hit: (-hit.score, hit.id))[:KEPT]

    def _overlap(self, document: str, weights: Mapping[str, float]) -> float:
        said = self.words_of[document]
        return sum([weight for word, weight in weights.items() if word in said])
