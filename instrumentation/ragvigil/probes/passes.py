"""Whether the documents of a probe pass the clauses that it dropped, by their metadata, which stay in the process."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from ragvigil.guard import GUARD
from ragvigil.predicates import Filter, Leaf, Predicate, evaluate
from ragvigil.predicates.ast import walk

_MOST_VALUES: Final = 200
"""Values of one field that are looked at; a field with more is not judged: an async search is judged in its loop."""


@dataclass(frozen=True, slots=True)
class DroppedClauses:
    """The relevance clauses of a search that `said` so, and the documents that it found with them."""

    said: Filter
    found: Sequence[object]

    def passes(self, ids: Sequence[object], metadata: Sequence[object]) -> tuple[bool | None, ...]:
        """For each document whether it passes; None where its metadata do not tell.

        A document that the filter let through passes. Where its metadata say otherwise they are not what the database
        sees, a part of them perhaps, and then nothing is told of any document.
        """
        judged = self._judged(metadata[: len(ids)])
        found = {str(identity) for identity in self.found}
        is_found = [str(identity) in found for identity in ids]
        results = list(zip_longest(judged, is_found, fillvalue=None))
        if any(result is False and known for result, known in results):
            GUARD.report(
                "a filter let a document through that does not pass it by its metadata; none is judged by them"
            )
            return (None,) * len(ids)
        return tuple([result for result, _ in results])

    def _judged(self, metadata: Sequence[object]) -> list[bool | None]:
        dropped = self.said.relevance_part()
        fields = {node.field for _, node in walk(dropped) if isinstance(node, Leaf)}
        return [_judged(dropped, fields, each) for each in metadata]


def _judged(dropped: Predicate, fields: set[str], metadata: object) -> bool | None:
    try:
        if not isinstance(metadata, Mapping) or not metadata:
            return None
        known = {field: metadata[field] for field in fields if field in metadata}
        return evaluate(dropped, known) if all(map(_is_plain, known.values())) else None
    except Exception:  # noqa: BLE001 - metadata of any type may fail in any way, and then they do not tell
        return None


def _is_plain(value: object) -> bool:
    """Whether a value is one that databases hold: a scalar, or a list of some."""
    if isinstance(value, list | tuple | set | frozenset):
        return len(value) <= _MOST_VALUES and all(map(_is_scalar, value))
    return _is_scalar(value)


def _is_scalar(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)
