"""Ragvigil's own form: `where(...)`, a bare predicate, or its JSON form."""

from ragvigil.dialects.unreadable import Unreadable
from ragvigil.predicates import And, Clause, Filter, Leaf, Not, Opaque, Or, ProtectedLeaf, from_json, where


def read(native: object) -> Filter:
    """A filter from one of the library's own objects or from decoded JSON; raises Unreadable or PredicateError."""
    if isinstance(native, Filter):
        return native
    if isinstance(native, Clause):
        return where(native)
    if isinstance(native, And | Or | Not | Leaf | ProtectedLeaf | Opaque):
        return Filter(native)
    if isinstance(native, dict | str):
        return Filter(from_json(native))
    raise Unreadable(type(native).__name__)
