"""What few spans have: status, events, links and attributes from other code; allocated only when needed."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias, TypeGuard

from opentelemetry.trace import SpanContext, StatusCode

from ragvigil import attributes as names
from ragvigil.guard import GUARD
from ragvigil.predicates.roles import RECORDS

MAX_ATTRIBUTES: Final = 128
MAX_EVENTS: Final = 128
MAX_LINKS: Final = 128
MAX_DEPTH: Final = 8
"""Lists in lists; protobuf readers refuse a message of more than 100 levels, and a request with it."""
MAX_ITEMS: Final = 100_000
MAX_INTEGER_BITS: Final = 4096
LONGEST_STACKTRACE: Final = 16_000
_EVENT_BYTES: Final = 100
_ITEM_BYTES: Final = 16

Value: TypeAlias = str | bool | int | float | bytes | tuple["Value", ...]


@dataclass(frozen=True, slots=True)
class Event:
    """Something at one moment of a span; `at_ns` is a monotonic reading."""

    name: str
    at_ns: int
    attributes: Mapping[str, Value]


@dataclass(slots=True)
class Rare:
    """The uncommon part of one span, within the SDK's default limits; `dropped` counts attributes beyond them."""

    status: StatusCode = StatusCode.UNSET
    description: str | None = None
    attributes: dict[str, Value] = field(default_factory=dict)
    dropped: int = 0
    events: list[Event] = field(default_factory=list)
    dropped_events: int = 0
    links: list[tuple[SpanContext, Mapping[str, Value]]] = field(default_factory=list)
    dropped_links: int = 0
    failure: BaseException | None = None
    """The exception that last left a part of the span, until the span ends."""

    def set_attribute(self, key: str, value: object) -> None:
        """Keep a copy of an attribute; one that is no OpenTelemetry attribute, or beyond the limit, is counted."""
        kept = immutable(value)
        if not isinstance(key, str):
            self.refuse(f"an attribute is not recorded: expected text as its key, got {type(key).__name__}")
        elif kept is None or (key not in self.attributes and len(self.attributes) >= MAX_ATTRIBUTES):
            self.dropped += 1
        else:
            self.attributes[key] = kept

    def set_status(self, status: StatusCode, description: str | None) -> None:
        """Set the status as OpenTelemetry orders: OK is final, UNSET never replaces."""
        if not isinstance(status, StatusCode):
            self.refuse(f"a status is not recorded: expected a StatusCode, got {type(status).__name__}")
        elif self.status is not StatusCode.OK and status is not StatusCode.UNSET:
            self.status = status
            self.description = description if status is StatusCode.ERROR and isinstance(description, str) else None

    def refuse(self, problem: str) -> None:
        """Count an attribute that cannot be kept, and say so once."""
        self.dropped += 1
        GUARD.report(problem)

    def copied(self, attributes: Mapping[str, object] | None) -> dict[str, Value]:
        """A copy of the attributes of an event or a link; those that cannot be kept are counted with the span's."""
        kept = immutable_attributes(attributes)
        given = len(attributes) if isinstance(attributes, Mapping) else int(attributes is not None)
        self.dropped += given - len(kept)
        return kept

    def add_event(self, event: Event) -> None:
        """Keep an event; beyond the limit, or without a name, it is counted."""
        if len(self.events) < MAX_EVENTS and isinstance(event.name, str):
            self.events.append(event)
        else:
            self.dropped_events += 1

    def add_link(self, context: SpanContext, attributes: Mapping[str, Value]) -> None:
        """Keep a link; beyond the limit, or to nothing that can be named, it is counted."""
        if len(self.links) < MAX_LINKS and isinstance(context, SpanContext):
            self.links.append((context, attributes))
        else:
            self.dropped_links += 1

    def ended(self) -> "Rare":
        """What it is when the span ends: one that does not change with this one and keeps nothing of the caller's."""
        self.failure = None
        return replace(self, attributes=self.attributes.copy(), events=self.events.copy(), links=self.links.copy())

    def estimated_bytes(self) -> int:
        """Roughly what this holds in memory."""
        groups = [self.attributes, *[event.attributes for event in self.events], *[found for _, found in self.links]]
        size = _EVENT_BYTES * (len(self.events) + len(self.links)) + len(self.description or "")
        return size + sum([_mapping_bytes(group) for group in groups])


def _mapping_bytes(attributes: Mapping[str, Value]) -> int:
    return sum([_ITEM_BYTES + len(key) + _held_bytes(value) for key, value in attributes.items()])


def immutable(value: object) -> Value | None:
    """A copy that nobody can change; None for what OpenTelemetry cannot carry.

    That includes lists deeper than MAX_DEPTH or with more than MAX_ITEMS in all, and values that fail to be read.
    """
    if _is_scalar(value):
        return value
    try:
        return _Copying().copy(value, MAX_DEPTH)
    except Exception:  # noqa: BLE001 - a value of any type may fail in any way, and it costs this value
        return None


def immutable_attributes(attributes: Mapping[Any, object] | None) -> dict[str, Value]:
    """A copy of attributes without those that OpenTelemetry cannot carry."""
    if not isinstance(attributes, Mapping):
        return {}
    copied = {key: immutable(value) for key, value in attributes.items() if isinstance(key, str)}
    return {key: value for key, value in copied.items() if value is not None}


def _held_bytes(value: object) -> int:
    """Roughly what a copied value holds in memory."""
    if isinstance(value, str | bytes):
        return len(value)
    return sum([_ITEM_BYTES + _held_bytes(item) for item in value]) if isinstance(value, tuple) else 0


class _Copying:
    """One value that is copied; raises ValueError for one that has no copy within the bounds."""

    def __init__(self) -> None:
        self._left = MAX_ITEMS

    def copy(self, value: object, depth: int) -> Value | None:
        if _is_scalar(value):
            return value
        if isinstance(value, int):
            raise ValueError("too large")
        if isinstance(value, bytearray | memoryview):
            return bytes(value)
        if isinstance(value, Sequence) and not isinstance(value, RECORDS):
            return self._items(value, depth)
        return None

    def _items(self, values: Sequence[object], depth: int) -> Value:
        self._left -= len(values)
        if depth == 0 or self._left < 0:
            raise ValueError("too deep or too long")
        items = [self.copy(item, depth - 1) for item in values]
        return tuple([item for item in items if item is not None])


def _is_scalar(value: object) -> TypeGuard[str | int | float | bytes]:
    if isinstance(value, int):
        return value.bit_length() <= MAX_INTEGER_BITS
    return isinstance(value, str | float | bytes)


def text_of(value: object) -> str:
    """`value` as text; '' where it fails to say."""
    try:
        return str(value)
    except Exception:  # noqa: BLE001 - text of other code may fail in any way
        return ""


def described(failure: BaseException) -> str:
    """Type and text of an exception; the type alone where it has no text."""
    text = text_of(failure)
    return f"{type(failure).__name__}: {text}" if text else type(failure).__name__


def exception_event(failure: BaseException, at_ns: int, extra: Mapping[str, Value]) -> Event:
    """An exception as OpenTelemetry records it; formatted at once, so that no traceback keeps locals alive."""
    return Event(
        "exception",
        at_ns,
        {
            names.EXCEPTION_TYPE: type(failure).__qualname__,
            names.EXCEPTION_MESSAGE: text_of(failure),
            names.EXCEPTION_STACKTRACE: _stack(failure)[-LONGEST_STACKTRACE:],
            **extra,
        },
    )


def _stack(failure: BaseException) -> str:
    try:
        return "".join(traceback.format_exception(failure))
    except Exception:  # noqa: BLE001 - notes, causes and texts of other code are formatted
        return ""
