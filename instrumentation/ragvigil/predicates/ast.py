"""The neutral predicate form: what a filter says, whatever language it was written in.

A field is a bag of values: a scalar is one value, an array its non-null elements; a missing field, null and `[]`
are the empty bag. Leaves ask whether some element satisfies them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

Op: TypeAlias = Literal["eq", "in", "nin", "lt", "lte", "gt", "gte", "all", "prefix", "exists", "is_null"]
Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class And:
    """True when every argument is; without arguments true."""

    args: tuple["Predicate", ...]


@dataclass(frozen=True, slots=True)
class Or:
    """True when some argument is; without arguments false."""

    args: tuple["Predicate", ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The plain complement."""

    arg: "Predicate"


class Leaf(NamedTuple):
    """A question about one field.

    `value` is a tuple for in, nin and all, and None for exists and is_null. With `is_datetime` the values are
    RFC 3339 text and are compared as moments; without an offset they are UTC.
    """

    op: Op
    field: str
    value: Scalar | tuple[Scalar, ...] = None
    is_datetime: bool = False


@dataclass(frozen=True, slots=True)
class ProtectedLeaf:
    """A leaf whose values were replaced by their HMAC: equal values stay equal, nothing else can be told."""

    op: Op
    field: str
    value_hmac: str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Opaque:
    """A part whose meaning is not known: neither true nor false can be concluded from it."""

    dialect: str
    raw: str


Predicate: TypeAlias = And | Or | Not | Leaf | ProtectedLeaf | Opaque


def is_text(field: object) -> bool:
    """Whether a field is the text that its type says; a caller of a typed function may give anything.

    An object may say of itself, in `__class__`, that it is one, or fail there.
    """
    return issubclass(type(field), str)


def plain_text(text: object) -> str:
    """A text as Python's own: a subclass may fail wherever it is shown, compared or hashed. TypeError for no text."""
    return str.__str__(text)


def type_name(value: object) -> str:
    """The name of the type of anything, in angle brackets."""
    try:
        return f"<{plain_text(type(value).__name__)}>"
    except Exception:  # noqa: BLE001 - a metaclass may fail in any way
        return "<unknown>"


class PredicateError(ValueError):
    """A predicate in JSON form is not valid; the text says where and why."""


def children(node: Predicate) -> tuple[Predicate, ...]:
    """The predicates directly below `node`."""
    if isinstance(node, _GROUPS):
        return node.args
    return (node.arg,) if isinstance(node, Not) else ()


def walk(node: Predicate, path: str = "") -> Iterator[tuple[str, Predicate]]:
    """Each predicate with its RFC 6901 pointer, parents first."""
    yield path, node
    if isinstance(node, Not):
        yield from walk(node.arg, f"{path}/arg")
    elif isinstance(node, _GROUPS):
        for index, child in enumerate(node.args):
            yield from walk(child, f"{path}/args/{index}")


def count_opaque(node: Predicate) -> int:
    """How many parts of a predicate have no known meaning; what is no predicate is one."""
    if isinstance(node, _LEAVES):
        return 0
    return sum(map(count_opaque, children(node))) if isinstance(node, _CONNECTIVES) else 1


def is_predicate(node: object) -> bool:
    """Whether it is one: anything may be given to `And` or to a filter where types are not checked."""
    return isinstance(node, (*_CONNECTIVES, *_LEAVES, Opaque))


# Made once: `And | Or` inside a function makes a new union for each call.
_GROUPS = (And, Or)
_CONNECTIVES = (And, Or, Not)
_LEAVES = (Leaf, ProtectedLeaf)
