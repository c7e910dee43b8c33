"""Who a part of a filter is for, and the clauses and labels that say so."""

from typing import Final, Literal, NamedTuple, TypeAlias

from ragvigil.predicates.ast import Leaf, Predicate

Role: TypeAlias = Literal["entitlement", "relevance"]
Origin: TypeAlias = Literal["caller", "rule", "llm"]


class Clause(NamedTuple):
    """A predicate with its role: entitlement is what someone may see, relevance what someone probably wants."""

    predicate: Predicate
    role: Role
    origin: Origin
    kind: str | None


class Label(NamedTuple):
    """The role of the part of a predicate that the RFC 6901 pointer `path` names; '' is the whole."""

    path: str
    role: Role
    origin: Origin = "caller"
    kind: str | None = None


RECORDS: Final = (Leaf, Clause, Label)
"""Named tuples of the library, which are tuples to Python: nowhere are they lists of values."""
