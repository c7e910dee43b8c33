"""Replace values that tell who may see what by their HMAC, before a filter leaves the process."""

import hmac

from ragvigil.predicates.ast import And, Leaf, Not, Opaque, Or, Predicate, ProtectedLeaf, Scalar, is_text
from ragvigil.predicates.build import NEUTRAL
from ragvigil.predicates.clauses import Filter
from ragvigil.predicates.evaluate import as_double


class ShownFilter(Filter):
    """A filter that may leave: what tells who may see what is replaced in it."""

    __slots__ = ()


def protected(said: Filter, key: bytes, fields: frozenset[str] | None = None) -> Filter:
    """A filter with every value of `fields` replaced, of its protected fields where none are given.

    Equal values give equal HMACs (SHA-256, hex). Ranges, prefixes and moments on such a field become opaque, since
    nothing but equality survives.
    """
    if said.predicate is None or (fields is None and isinstance(said, ShownFilter)):
        return said
    predicate = _replaced(said.predicate, said.protected_fields() if fields is None else fields, key)
    return ShownFilter(predicate, said.labels, said.dialect, said.raw)


def value_hmac(value: Scalar, key: bytes) -> str:
    """HMAC-SHA256 of one value, in hex; 5 and 5.0 are one value, 5 and "5" are two, as in evaluation."""
    return hmac.digest(key, _canonical(value), "sha256").hex()


def _replaced(node: Predicate, fields: frozenset[str], key: bytes) -> Predicate:
    if isinstance(node, Leaf):
        return _hidden(node, key) if is_text(node.field) and node.field in fields else node
    if isinstance(node, And):
        return And(tuple([_replaced(arg, fields, key) for arg in node.args]))
    if isinstance(node, Or):
        return Or(tuple([_replaced(arg, fields, key) for arg in node.args]))
    return Not(_replaced(node.arg, fields, key)) if isinstance(node, Not) else node


def _hidden(leaf: Leaf, key: bytes) -> Predicate:
    if leaf.op in {"exists", "is_null"}:
        return leaf
    if leaf.is_datetime or leaf.op not in {"eq", "in", "nin", "all"}:
        return Opaque(NEUTRAL, f"{leaf.op} {leaf.field} <protected>")
    if isinstance(leaf.value, tuple):
        return ProtectedLeaf(leaf.op, leaf.field, tuple([value_hmac(value, key) for value in leaf.value]))
    return ProtectedLeaf(leaf.op, leaf.field, value_hmac(leaf.value, key))


def _canonical(value: Scalar) -> bytes:
    if isinstance(value, bool) or value is None:
        return f"constant:{value}".encode()
    if isinstance(value, int | float):
        return f"number:{as_double(value) + 0.0!r}".encode()
    return b"text:" + value.encode("utf-8", "surrogatepass")
