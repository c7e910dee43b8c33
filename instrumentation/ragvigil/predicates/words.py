"""A filter in words, one phrase a conjunct, for people who are on call."""

from collections.abc import Mapping
from typing import Final

from ragvigil.predicates.ast import And, Leaf, Not, Opaque, Or, Predicate, ProtectedLeaf, children, walk
from ragvigil.predicates.clauses import Filter
from ragvigil.predicates.codec import from_json, labels_from_json
from ragvigil.predicates.roles import Label

_VERBS: Final[Mapping[str, str]] = {
    "eq": "is",
    "in": "is one of",
    "nin": "has something other than",
    "lt": "is below",
    "lte": "is at most",
    "gt": "is above",
    "gte": "is at least",
    "all": "has all of",
    "prefix": "starts with",
}
_MAX_LISTED: Final = 5


def words(ast: object, clauses: object = None) -> list[str]:
    """Say a filter, one phrase a conjunct, for example "kind is function (relevance, rule)".

    A protected value is not told: "package is one of 3 protected values (entitlement)". `ast` and `clauses` are
    the two JSON attributes of a retrieval, decoded or as text. Raises PredicateError where they are not valid.
    """
    said = Filter(from_json(ast), () if clauses is None else labels_from_json(clauses))
    if isinstance(said.predicate, And):
        parts = [(f"/args/{index}", arg) for index, arg in enumerate(said.predicate.args)]
    else:
        parts = [("", said.predicate)] if said.predicate is not None else []
    return [f"{phrase(part)} ({_role(said, path, part)})" for path, part in parts]


def phrase(predicate: Predicate) -> str:
    """One predicate in words, without its role."""
    match predicate:
        case And(args):
            return _joined(args, " and ", "anything")
        case Or(args):
            return _joined(args, " or ", "nothing")
        case Not(arg):
            return f"not ({phrase(arg)})"
        case Opaque(dialect, raw):
            return f"something in {dialect} that is not understood: {raw}"
        case Leaf() | ProtectedLeaf():
            return _leaf(predicate)


def _leaf(leaf: Leaf | ProtectedLeaf) -> str:
    if leaf.op == "exists":
        return f"{leaf.field} is present"
    if leaf.op == "is_null":
        return f"{leaf.field} is null"
    said = _values(leaf.value) if isinstance(leaf, Leaf) else _protected(leaf.value_hmac)
    return f"{leaf.field} {_VERBS[leaf.op]} {said}"


def _joined(args: tuple[Predicate, ...], word: str, nothing: str) -> str:
    said = [f"({phrase(arg)})" if children(arg) and not isinstance(arg, Not) else phrase(arg) for arg in args]
    return word.join(said) or nothing


def _values(value: object) -> str:
    if not isinstance(value, tuple):
        return _value(value)
    listed = ", ".join(_value(item) for item in value[:_MAX_LISTED]) or "no values"
    return listed if len(value) <= _MAX_LISTED else f"{listed} and {len(value) - _MAX_LISTED} more"


def _value(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    return str(value)


def _protected(value_hmac: str | tuple[str, ...]) -> str:
    if isinstance(value_hmac, str):
        return "a protected value"
    return f"{len(value_hmac)} protected value{'' if len(value_hmac) == 1 else 's'}"


def _role(said: Filter, path: str, part: Predicate) -> str:
    roles = {said.role_at(below) for below, node in walk(part, path) if not children(node)}
    declared = _declared(said, path)
    if declared is None:
        return "relevance" if roles == {"relevance"} else "no role declared, so entitlement"
    role = "relevance" if roles == {"relevance"} else "entitlement"
    return role if declared.origin == "caller" else f"{role}, {declared.origin}"


def _declared(said: Filter, path: str) -> Label | None:
    return next((label for label in said.labels if label.path in {path, ""}), None)
