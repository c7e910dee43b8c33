"""A small vector index: exact cosine top-k among the documents whose metadata pass a filter."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragvigil.predicates import And, Filter, Predicate, evaluate
from ragvigil_monitor.demo.recent import Recent

CACHED_MASKS = 1024


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that was found, as vector databases return it, and how well it fits."""

    id: str
    score: float
    text: str
    metadata: Mapping[str, Any]


class Index:
    """At least one unit vector, each with a text and metadata, held in memory."""

    def __init__(
        self,
        ids: Sequence[str],
        texts: Sequence[str],
        vectors: NDArray[np.float32],
        metadata: Sequence[Mapping[str, Any]],
    ) -> None:
        if not len(ids) == len(texts) == len(vectors) == len(metadata):
            raise ValueError(
                f"{len(ids)} ids, {len(texts)} texts, {len(vectors)} vectors, {len(metadata)} metadata do not match"
            )
        self._ids = ids
        self._texts = texts
        self._vectors = vectors
        self._metadata = metadata
        numbered: dict[str, int] = {}
        self._group = np.array([numbered.setdefault(repr(one), len(numbered)) for one in metadata], dtype=np.intp)
        self._distinct = [metadata[place] for place in np.unique(self._group, return_index=True)[1]]
        self._masks: Recent[NDArray[np.bool_]] = Recent(CACHED_MASKS)

    def search(self, vector: NDArray[np.float32], where: Filter, k: int) -> list[Hit]:
        """The `k` documents nearest to a unit vector that pass `where`, best first; fewer where fewer pass.

        Raises ValueError for a filter that cannot be evaluated on metadata.
        """
        scores = np.where(self._allowed(where), self._vectors @ vector, -np.inf)
        some = np.argpartition(-scores, min(k, len(scores) - 1))[:k]
        best = some[np.lexsort((some, -scores[some]))]
        return [self._hit(int(place), float(scores[place])) for place in best if scores[place] > -np.inf]

    def _hit(self, place: int, score: float) -> Hit:
        return Hit(self._ids[place], score, self._texts[place], self._metadata[place])

    def _allowed(self, where: Filter) -> NDArray[np.bool_]:
        if where.predicate is None:
            raise ValueError(f"the filter {where.raw} cannot be read")
        parts = where.predicate.args if isinstance(where.predicate, And) else (where.predicate,)
        allowed = np.ones(len(self._ids), dtype=np.bool_)
        for part in parts:
            allowed &= self._mask(part)
        return allowed

    def _mask(self, part: Predicate) -> NDArray[np.bool_]:
        """The documents that one conjunct lets pass; kept, since questions repeat their clauses.

        Documents with equal metadata pass alike, so each distinct metadata is asked once.
        """
        key = repr(part)  # not the part itself: in Python 1 equals True, in a filter it does not
        mask = self._masks.get(key)
        if mask is None:
            mask = np.array([_passes(part, one) for one in self._distinct], dtype=np.bool_)[self._group]
            self._masks.put(key, mask)
        return mask


def _passes(part: Predicate, document: Mapping[str, Any]) -> bool:
    passes = evaluate(part, document)
    if passes is None:
        raise ValueError(f"{part} cannot be evaluated on metadata")
    return passes
