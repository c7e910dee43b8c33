"""What one retrieval was restricted to, with the role that each part of it plays."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from ragvigil.predicates.ast import (
    And,
    Leaf,
    Predicate,
    ProtectedLeaf,
    children,
    count_opaque,
    is_predicate,
    is_text,
    walk,
)
from ragvigil.predicates.build import NEUTRAL
from ragvigil.predicates.evaluate import evaluate
from ragvigil.predicates.roles import Label, Role

FilterState: TypeAlias = Literal["known", "none", "partial", "unknown"]


@dataclass(frozen=True, slots=True)
class Filter:
    """What one retrieval was restricted to.

    `predicate` is None where the filter could not be read; `raw` then describes it without its values.
    """

    predicate: Predicate | None
    labels: tuple[Label, ...] = ()
    dialect: str = NEUTRAL
    raw: str | None = None

    @property
    def state(self) -> FilterState:
        """`none` restricts nothing, `partial` has parts of unknown meaning, `unknown` could not be read."""
        if self.predicate is None:
            return "unknown"
        if isinstance(self.predicate, And) and not self.predicate.args:
            return "none"
        return "partial" if self.opaque_count else "known"

    @property
    def opaque_count(self) -> int:
        """How many parts have no known meaning."""
        return 0 if self.predicate is None else count_opaque(self.predicate)

    def matches(self, document: Mapping[str, object]) -> bool | None:
        """Whether a document with these metadata passes; None where that cannot be told."""
        return None if self.predicate is None else evaluate(self.predicate, document)

    def role_at(self, path: str) -> Role:
        """The role of the part at `path`.

        Relevance only if that is declared on it or above and nothing there is declared entitlement.
        """
        above = [label.role for label in self.labels if _is_at_or_below(path, label.path)]
        return "relevance" if above and above.count("relevance") == len(above) else "entitlement"

    def protected_fields(self) -> frozenset[str]:
        """Fields whose values may tell who may see what: those with an entitlement leaf anywhere."""
        return frozenset(
            node.field
            for path, node in self._nodes()
            if isinstance(node, _LEAVES) and is_text(node.field) and self.role_at(path) == "entitlement"
        )

    def undeclared_fields(self) -> frozenset[str]:
        """Fields of leaves that no label covers: they count as entitlement because nobody said anything."""
        return frozenset(
            node.field
            for path, node in self._nodes()
            if isinstance(node, _LEAVES)
            and is_text(node.field)
            and not any(_is_at_or_below(path, label.path) for label in self.labels)
        )

    def relaxed(self) -> "Filter":
        """The filter without its `relevance_conjuncts`; what anyone is entitled to never changes."""
        return self.without(self.relevance_conjuncts())

    def relevance_conjuncts(self) -> tuple[str, ...]:
        """RFC 6901 pointers to what may be dropped.

        Only whole conjuncts of a top-level `and` (or the root), and only those whose every leaf is relevance.
        """
        return tuple([path for path in self._conjuncts() if not self._is_entitlement(path)])

    def relevance_part(self) -> Predicate:
        """What `relaxed` leaves out: all of the `relevance_conjuncts`."""
        if not isinstance(self.predicate, And):
            return And((self.predicate,)) if self.predicate is not None and self.relevance_conjuncts() else And(())
        dropped = set(self.relevance_conjuncts())
        return And(
            tuple([arg for path, arg in zip(self._conjuncts(), self.predicate.args, strict=True) if path in dropped])
        )

    def without(self, conjuncts: Collection[str]) -> "Filter":
        """The filter without the conjuncts that these pointers name; labels move with the clauses that stay."""
        if self.predicate is None or not conjuncts:
            return self
        if not isinstance(self.predicate, And):
            return replace(self, predicate=And(()), labels=()) if "" in conjuncts else self
        return self._with_only(self.predicate, [i for i, path in enumerate(self._conjuncts()) if path not in conjuncts])

    def beside(self, *others: Predicate) -> "Filter":
        """The filter and `others`, which count as entitlement; one that could not be read stays so."""
        if self.predicate is None or not others:
            return self
        if isinstance(self.predicate, And) and not any(label.path == "" for label in self.labels):
            return replace(self, predicate=And((*self.predicate.args, *others)))
        labels = tuple([label._replace(path=f"/args/0{label.path}") for label in self.labels])
        return replace(self, predicate=And((self.predicate, *others)), labels=labels)

    def _conjuncts(self) -> list[str]:
        if isinstance(self.predicate, And):
            return [f"/args/{index}" for index in range(len(self.predicate.args))]
        return [] if self.predicate is None else [""]

    def _with_only(self, root: And, kept: list[int]) -> "Filter":
        labels = [label for label in self.labels if label.path == ""]
        for new, old in enumerate(kept):
            for label in self.labels:
                if label.path and _is_at_or_below(label.path, f"/args/{old}"):
                    moved = f"/args/{new}" + label.path.removeprefix(f"/args/{old}")
                    labels.append(label._replace(path=moved))
        return replace(self, predicate=And(tuple([root.args[i] for i in kept])), labels=tuple(labels))

    def _is_entitlement(self, conjunct: str) -> bool:
        return any(
            self.role_at(path) == "entitlement" or not is_predicate(node)
            for path, node in self._nodes()
            if _is_at_or_below(path, conjunct) and not children(node)
        )

    def _nodes(self) -> Iterator[tuple[str, Predicate]]:
        return iter(()) if self.predicate is None else walk(self.predicate)


class FilterBelow(Filter):
    """The filter of a search inside the one that records it; believed where that one tells nothing itself."""

    __slots__ = ()


_LEAVES = (Leaf, ProtectedLeaf)


def _is_at_or_below(path: str, ancestor: str) -> bool:
    return path == ancestor or path.startswith(f"{ancestor}/")
