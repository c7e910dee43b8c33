"""A plain dictionary: every field must equal its value, or one of its values where a list is given."""

from collections.abc import Mapping

from ragvigil.dialects.unreadable import Unreadable
from ragvigil.predicates import And, Filter, Opaque, Predicate, eq, in_


def read(native: object) -> Filter:
    """A filter from field names to scalars or lists of scalars; raises Unreadable for anything else."""
    if not isinstance(native, Mapping):
        raise Unreadable(type(native).__name__)
    return Filter(And(tuple([_field(field, wanted) for field, wanted in native.items()])), dialect="mapping")


def _field(field: object, wanted: object) -> Predicate:
    if not isinstance(field, str) or wanted is None:
        raise Unreadable(f"{field!r}: {type(wanted).__name__}")
    said = in_(field, wanted) if isinstance(wanted, list | tuple | set | frozenset) else eq(field, wanted)
    if isinstance(said, Opaque):
        raise Unreadable(said.raw)
    return said
