"""Filters whose values are hashed, left out, or looked at by redactors."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ragvigil.predicates import And, Filter, Leaf, Not, Opaque, Or, Predicate, ProtectedLeaf
from ragvigil.predicates.ast import walk
from ragvigil.predicates.protect import ShownFilter, protected
from ragvigil.redaction.content import Mode
from ragvigil.redaction.texts import Texts

WITHHELD: Final = "<withheld>"


class FilterRedactor:
    """Makes a filter one that may leave; values of protected fields are replaced by their HMAC under `key`.

    A field with a value that a redactor changes is treated as protected as a whole: a changed value in place would say
    something else about documents than the filter did.
    """

    def __init__(self, mode: Mode, texts: Texts, key: bytes) -> None:
        self._mode = mode
        self._texts = texts
        self._key = key

    def redacted(self, said: Filter) -> Filter:
        """The filter as it may leave."""
        if self._mode == "none":
            predicate = None if said.predicate is None else _without_values(said.predicate)
            return ShownFilter(predicate, said.labels, said.dialect, None if said.raw is None else WITHHELD)
        shown = said
        if said.raw is not None or said.opaque_count:
            predicate = None if said.predicate is None else self._with_shown_raw(said.predicate)
            shown = replace(said, predicate=predicate, raw=self._raw(said.raw))
        return protected(shown, self._key, self._hidden_fields(said))

    def _hidden_fields(self, said: Filter) -> frozenset[str]:
        """Those that tell who may see what, and those with a value that no one shall see."""
        leaves = [] if said.predicate is None else [node for _, node in walk(said.predicate) if isinstance(node, Leaf)]
        known = said.protected_fields()
        if self._mode == "hashed":
            return known.union([leaf.field for leaf in leaves])
        return known.union([leaf.field for leaf in leaves if leaf.field not in known and self._changes(leaf)])

    def _changes(self, leaf: Leaf) -> bool:
        return not leaf.is_datetime and any(self._texts.redacted(text) != text for text in _texts_of(leaf))

    def _raw(self, raw: str | None) -> str | None:
        if raw is None:
            return None
        shown = WITHHELD if self._mode == "hashed" else self._texts.redacted(raw)
        return WITHHELD if shown is None else shown

    def _with_shown_raw(self, node: Predicate) -> Predicate:
        match node:
            case And(args):
                return And(tuple([self._with_shown_raw(arg) for arg in args]))
            case Or(args):
                return Or(tuple([self._with_shown_raw(arg) for arg in args]))
            case Not(arg):
                return Not(self._with_shown_raw(arg))
            case Opaque(dialect, raw):
                return Opaque(dialect, self._raw(raw) or "")
        return node


def _texts_of(leaf: Leaf) -> Iterator[str]:
    values = leaf.value if isinstance(leaf.value, tuple) else (leaf.value,)
    return (value for value in values if isinstance(value, str))


def _without_values(node: Predicate) -> Predicate:
    """The same structure, with every value unknown."""
    match node:
        case And(args):
            return And(tuple([_without_values(arg) for arg in args]))
        case Or(args):
            return Or(tuple([_without_values(arg) for arg in args]))
        case Not(arg):
            return Not(_without_values(arg))
        case Leaf(op="exists" | "is_null"):
            return node
        case Opaque(dialect):
            return Opaque(dialect, WITHHELD)
        case Leaf() | ProtectedLeaf():
            return Opaque("neutral", f"{node.op} {node.field} {WITHHELD}")
    return Opaque("neutral", WITHHELD)
