"""Whether the documents of a probe pass the clauses that it dropped, by their metadata, which stay in the process."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from ragvigil.guard import GUARD
from ragvigil.predicates import Filter, Leaf, Predicate, evaluate
from ragvigil.predicates.ast import walk
from ragvigil.predicates.roles import RECORDS

_BOUNDS: Final = frozenset({"lt", "lte", "gt", "gte"})
_ABOUT_NULL: Final = frozenset({"exists", "is_null"})
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
        asked: dict[str, list[str]] = {}
        for _, node in walk(dropped):
            if isinstance(node, Leaf):
                asked.setdefault(node.field, []).append(node.op)
        return [_judged(dropped, asked, each) for each in metadata]


def _judged(dropped: Predicate, asked: Mapping[str, Sequence[str]], metadata: object) -> bool | None:
    """Whether a document passes; `asked` are the operators on each field that matters."""
    try:
        if not isinstance(metadata, Mapping) or not metadata:
            return None
        known = {field: metadata[field] for field in asked if field in metadata}
        is_plain = all(_is_plain(value, asked[field]) for field, value in known.items())
        return evaluate(dropped, known) if is_plain else None
    except Exception:  # noqa: BLE001 - metadata of any type may fail in any way, and then they do not tell
        return None


def _is_plain(value: object, operators: Sequence[str]) -> bool:
    """Whether a value is one that all databases hold, and judge alike: a scalar, or most lists of some.

    Of a list some demand that one element lies within both bounds, others that each bound holds for some element; and
    where null is an element, they differ in what is empty.
    """
    if not isinstance(value, list | tuple | set | frozenset):
        return _is_scalar(value)
    if isinstance(value, RECORDS) or len(value) > _MOST_VALUES or not all(map(_is_scalar, value)):
        return False
    is_bounded = len([operator for operator in operators if operator in _BOUNDS]) > 1
    return not (is_bounded and len(value) > 1) and not (None in value and not _ABOUT_NULL.isdisjoint(operators))


def _is_scalar(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return value is None or isinstance(value, str | int)
