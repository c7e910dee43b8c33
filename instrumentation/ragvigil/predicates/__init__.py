"""Filters in a neutral form: build them, label them, evaluate them, say them in words."""

from ragvigil.predicates.ast import And, Leaf, Not, Op, Opaque, Or, Predicate, PredicateError, ProtectedLeaf
from ragvigil.predicates.build import (
    all_,
    and_,
    eq,
    exists,
    gt,
    gte,
    in_,
    is_null,
    lt,
    lte,
    nin,
    not_,
    opaque,
    or_,
    prefix,
)
from ragvigil.predicates.clauses import Filter
from ragvigil.predicates.codec import from_json, labels_from_json, labels_to_json, to_json
from ragvigil.predicates.evaluate import evaluate
from ragvigil.predicates.roles import Clause, Label
from ragvigil.predicates.stating import entitlement, relevance, where
from ragvigil.predicates.words import words

__all__ = [
    "And",
    "Clause",
    "Filter",
    "Label",
    "Leaf",
    "Not",
    "Op",
    "Opaque",
    "Or",
    "Predicate",
    "PredicateError",
    "ProtectedLeaf",
    "all_",
    "and_",
    "entitlement",
    "eq",
    "evaluate",
    "exists",
    "from_json",
    "gt",
    "gte",
    "in_",
    "is_null",
    "labels_from_json",
    "labels_to_json",
    "lt",
    "lte",
    "nin",
    "not_",
    "opaque",
    "or_",
    "prefix",
    "relevance",
    "to_json",
    "where",
    "words",
]
