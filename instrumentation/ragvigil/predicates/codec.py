"""The JSON form of predicates and labels, out and defensively back in."""

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Final, TypeAlias, get_args

from ragvigil.predicates.ast import (
    And,
    Leaf,
    Not,
    Op,
    Opaque,
    Or,
    Predicate,
    PredicateError,
    ProtectedLeaf,
    Scalar,
    is_text,
    type_name,
)
from ragvigil.predicates.build import NEUTRAL
from ragvigil.predicates.roles import Label, Origin, Role

Json: TypeAlias = dict[str, object]

MAX_DEPTH: Final = 50
MAX_TEXT: Final = 1 << 20
_MANY: Final = frozenset({"in", "nin", "all"})
_VALUELESS: Final = frozenset({"exists", "is_null"})


def to_json(predicate: Predicate) -> Json:
    """The predicate as plain dictionaries, lists and scalars; what is no predicate is written as opaque.

    Raises TypeError for a leaf, made without `eq` and the like, whose field is no text.
    """
    match predicate:
        case Leaf():
            return _leaf_to_json(predicate)
        case And(args):
            return {"op": "and", "args": [to_json(arg) for arg in args]}
        case Or(args):
            return {"op": "or", "args": [to_json(arg) for arg in args]}
        case Not(arg):
            return {"op": "not", "arg": to_json(arg)}
        case Opaque(dialect, raw):
            return {"op": "opaque", "dialect": dialect, "raw": raw}
        case ProtectedLeaf(op, field, hmac):
            return {"op": op, "field": field, "value_hmac": list(hmac) if isinstance(hmac, tuple) else hmac}
        case stranger:
            return {"op": "opaque", "dialect": NEUTRAL, "raw": type_name(stranger)}


def labels_to_json(labels: Sequence[Label]) -> list[Json]:
    """The labels as plain dictionaries."""
    return [{"path": label.path, "role": label.role, "origin": label.origin, "kind": label.kind} for label in labels]


def from_json(source: object) -> Predicate:
    """Read a predicate from decoded JSON or from its text.

    Raises PredicateError, which names the place by RFC 6901 pointer, for anything that `to_json` does not write:
    an unknown operator, a missing or superfluous key, a value of the wrong kind, more than 50 levels, 1 MiB of text.
    A leaf with infinity or NaN, which other senders write, is opaque.
    """
    return _predicate(_decoded(source), "", MAX_DEPTH)


def labels_from_json(source: object) -> tuple[Label, ...]:
    """Read labels from decoded JSON or from its text; raises PredicateError."""
    listed = _decoded(source)
    if not isinstance(listed, list):
        raise PredicateError(f"clauses: expected a list, got {_kind(listed)}")
    return tuple([_label(item, f"/{index}") for index, item in enumerate(listed)])


def _decoded(source: object) -> object:
    if not isinstance(source, str):
        return source
    if len(source) > MAX_TEXT:
        raise PredicateError(f"more than {MAX_TEXT} characters of JSON")
    try:
        return json.loads(source)
    except (ValueError, RecursionError) as failure:
        raise PredicateError(f"not JSON: {failure}") from failure


def _leaf_to_json(leaf: Leaf) -> Json:
    if not is_text(leaf.field):
        raise TypeError(f"the field of a leaf is no text but {type(leaf.field).__name__}")
    written: Json = {"op": leaf.op, "field": leaf.field}
    if leaf.op not in _VALUELESS:
        written["value"] = list(leaf.value) if isinstance(leaf.value, tuple) else leaf.value
    if leaf.is_datetime:
        written["type"] = "datetime"
    return written


def _predicate(node: object, path: str, depth: int) -> Predicate:
    if depth == 0:
        raise PredicateError(f"at {path or 'the root'}: more than {MAX_DEPTH} levels")
    if not isinstance(node, Mapping):
        raise PredicateError(f"at {path or 'the root'}: expected an object, got {_kind(node)}")
    op = node.get("op")
    if op in ("and", "or"):  # not a set: `op` may be anything
        args = _arguments(_only(node, path, "args"), path, depth)
        return And(args) if op == "and" else Or(args)
    if op == "not":
        return Not(_predicate(_only(node, path, "arg").get("arg"), f"{path}/arg", depth - 1))
    if op == "opaque":
        checked = _only(node, path, "dialect", "raw")
        return Opaque(_text(checked, "dialect", path), _text(checked, "raw", path))
    return _leaf(node, path)


def _arguments(node: Mapping[str, object], path: str, depth: int) -> tuple[Predicate, ...]:
    args = node.get("args")
    if not isinstance(args, list):
        raise PredicateError(f"at {path}/args: expected a list, got {_kind(args)}")
    return tuple([_predicate(arg, f"{path}/args/{index}", depth - 1) for index, arg in enumerate(args)])


def _leaf(node: Mapping[str, object], path: str) -> Predicate:
    op = _op(node, path)
    field = _text(node, "field", path)
    if op in _VALUELESS:
        _only(node, path, "field")
        return Leaf(op, field)
    if "value_hmac" in node:
        _only(node, path, "field", "value_hmac")
        return ProtectedLeaf(op, field, _hmacs(node["value_hmac"], op, path))
    _only(node, path, "field", "value", "type")
    value, is_datetime = _value(node, op, path), _is_datetime(node, path)
    return Leaf(op, field, value, is_datetime) if _is_finite(value) else Opaque(NEUTRAL, f"{op} {field} <float>")


def _op(node: Mapping[str, object], path: str) -> Op:
    for op in get_args(Op):
        if op == node.get("op"):
            known: Op = op
            return known
    raise PredicateError(
        f"at {path or 'the root'}: unknown op {node.get('op')!r}; known are and, or, not, opaque, "
        + ", ".join(get_args(Op))
    )


def _value(node: Mapping[str, object], op: Op, path: str) -> Scalar | tuple[Scalar, ...]:
    if "value" not in node:
        raise PredicateError(f"at {path}/value: {op} needs a value")
    value = node["value"]
    if op not in _MANY:
        return _scalar(value, f"{path}/value")
    if not isinstance(value, list):
        raise PredicateError(f"at {path}/value: {op} needs a list, got {_kind(value)}")
    return tuple([_scalar(item, f"{path}/value/{index}") for index, item in enumerate(value)])


def _is_finite(value: Scalar | tuple[Scalar, ...]) -> bool:
    """Whether JSON can say it; Python's reads infinity and NaN all the same."""
    values = value if isinstance(value, tuple) else (value,)
    return all(isfinite(each) for each in values if isinstance(each, float))


def _hmacs(value: object, op: Op, path: str) -> str | tuple[str, ...]:
    if op not in _MANY and isinstance(value, str):
        return value
    if op in _MANY and isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise PredicateError(f"at {path}/value_hmac: {op} needs {'a list of texts' if op in _MANY else 'a text'}")


def _scalar(value: object, path: str) -> Scalar:
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise PredicateError(f"at {path}: expected text, number, true, false or null, got {_kind(value)}")


def _is_datetime(node: Mapping[str, object], path: str) -> bool:
    if node.get("type") not in {None, "datetime"}:
        raise PredicateError(f"at {path}/type: expected 'datetime', got {node['type']!r}")
    return node.get("type") == "datetime"


def _label(item: object, path: str) -> Label:
    if not isinstance(item, Mapping):
        raise PredicateError(f"clauses{path}: expected an object, got {_kind(item)}")
    kind = item.get("kind")
    if not (kind is None or isinstance(kind, str)):
        raise PredicateError(f"clauses{path}/kind: expected text or null, got {_kind(kind)}")
    return Label(_text(item, "path", path), _role(item, path), _origin(item, path), kind)


def _role(item: Mapping[str, object], path: str) -> Role:
    for role in get_args(Role):
        if role == item.get("role"):
            known: Role = role
            return known
    raise PredicateError(f"clauses{path}/role: expected entitlement or relevance, got {item.get('role')!r}")


def _origin(item: Mapping[str, object], path: str) -> Origin:
    for origin in get_args(Origin):
        if origin == item.get("origin", "caller"):
            known: Origin = origin
            return known
    raise PredicateError(f"clauses{path}/origin: expected caller, rule or llm, got {item.get('origin')!r}")


def _text(node: Mapping[str, object], key: str, path: str) -> str:
    value = node.get(key)
    if not isinstance(value, str):
        raise PredicateError(f"at {path}/{key}: expected text, got {_kind(value)}")
    return value


def _only(node: Mapping[str, object], path: str, *allowed: str) -> Mapping[str, object]:
    superfluous = sorted(str(key) for key in node if key not in {"op", *allowed})
    if superfluous:
        raise PredicateError(f"at {path or 'the root'}: {node['op']} takes no {', '.join(superfluous)}")
    return node


def _kind(value: object) -> str:
    return "nothing" if value is None else type(value).__name__
