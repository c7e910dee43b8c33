"""A plain dictionary: every field must equal its value, or one of its values where a list is given."""

from collections.abc import Collection, Mapping
from copy import copy

from ragvigil.dialects.unreadable import Unreadable, readable
from ragvigil.predicates import And, Filter, Predicate, eq, in_


def read(native: object) -> Filter:
    """A filter from field names to scalars or lists of scalars; raises Unreadable for anything else."""
    if not isinstance(native, Mapping):
        raise Unreadable(type(native).__name__)
    return Filter(And(tuple([_field(field, wanted) for field, wanted in native.items()])), dialect="mapping")


def without(native: object, conjuncts: Collection[str]) -> dict[object, object]:
    """A copy without the fields that the pointers name, as a dictionary; raises Unreadable for anything else."""
    if not isinstance(native, Mapping):
        raise Unreadable(type(native).__name__)
    fields = enumerate(native.items())
    return {field: copy(wanted) for index, (field, wanted) in fields if f"/args/{index}" not in conjuncts}


def _field(field: object, wanted: object) -> Predicate:
    if not isinstance(field, str) or wanted is None:
        raise Unreadable(f"{field!r}: {type(wanted).__name__}")
    said = in_(field, wanted) if isinstance(wanted, list | tuple | set | frozenset) else eq(field, wanted)
    return readable(said, wanted)
