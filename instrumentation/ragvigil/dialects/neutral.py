"""Ragvigil's own form: `where(...)`, a bare predicate, or its JSON form."""

from collections.abc import Collection

from ragvigil.dialects.unreadable import Unreadable
from ragvigil.predicates import And, Clause, Filter, Leaf, Not, Opaque, Or, ProtectedLeaf, from_json, to_json, where
from ragvigil.predicates.nesting import ALL_ENTITLEMENT, sound


def read(native: object) -> Filter:
    """A filter from one of the library's own objects or from decoded JSON; raises Unreadable or PredicateError."""
    if isinstance(native, Filter):
        return native
    if isinstance(native, Clause):
        return where(native)
    if isinstance(native, And | Or | Not | Leaf | ProtectedLeaf | Opaque):
        predicate = sound(native)
        return Filter(predicate, () if predicate is native else ALL_ENTITLEMENT)
    if isinstance(native, dict | str):
        return Filter(from_json(native))
    raise Unreadable(type(native).__name__)


def without(native: object, conjuncts: Collection[str]) -> object:
    """A copy, of the same type, without the conjuncts that the pointers name; raises Unreadable for another type."""
    if isinstance(native, Filter):
        return native.without(conjuncts)
    if isinstance(native, And | Or | Not | Leaf | ProtectedLeaf | Opaque):
        return Filter(native).without(conjuncts).predicate
    if isinstance(native, dict):
        kept = Filter(from_json(native)).without(conjuncts).predicate
        return None if kept is None else to_json(kept)
    raise Unreadable(type(native).__name__)
