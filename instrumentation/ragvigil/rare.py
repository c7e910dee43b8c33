"""What few spans have: status, events, links and attributes from other code; allocated only when needed."""

import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from opentelemetry.trace import SpanContext, StatusCode

from ragvigil import attributes as names

MAX_ATTRIBUTES: Final = 128
MAX_EVENTS: Final = 128
MAX_LINKS: Final = 128
LONGEST_STACKTRACE: Final = 16_000
_ITEM_BYTES: Final = 100

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

    def set_attribute(self, key: str, value: object) -> None:
        """Keep a copy of an attribute; one that is no OpenTelemetry value, or beyond the limit, is counted."""
        kept = immutable(value)
        if kept is None or (key not in self.attributes and len(self.attributes) >= MAX_ATTRIBUTES):
            self.dropped += 1
        else:
            self.attributes[key] = kept

    def set_status(self, status: StatusCode, description: str | None) -> None:
        """Set the status as OpenTelemetry orders: OK is final, UNSET never replaces."""
        if self.status is not StatusCode.OK and status is not StatusCode.UNSET:
            self.status = status
            self.description = description if status is StatusCode.ERROR else None

    def add_event(self, event: Event) -> None:
        """Keep an event; beyond the limit it is counted."""
        if len(self.events) < MAX_EVENTS:
            self.events.append(event)
        else:
            self.dropped_events += 1

    def add_link(self, context: SpanContext, attributes: Mapping[str, Value]) -> None:
        """Keep a link; beyond the limit it is counted."""
        if len(self.links) < MAX_LINKS:
            self.links.append((context, attributes))
        else:
            self.dropped_links += 1

    def estimated_bytes(self) -> int:
        """Roughly what this holds in memory."""
        texts = [*self.attributes.values(), *[v for event in self.events for v in event.attributes.values()]]
        sizes = [len(value) if isinstance(value, str | bytes | tuple) else 0 for value in texts]
        return sum(sizes) + _ITEM_BYTES * (len(texts) + len(self.events) + len(self.links))


def immutable(value: object) -> Value | None:
    """A copy that nobody can change; None for what OpenTelemetry cannot carry."""
    if isinstance(value, str | bool | int | float | bytes):
        return value
    if isinstance(value, Sequence):
        items = [immutable(item) for item in value]
        return tuple([item for item in items if item is not None])
    return None


def immutable_attributes(attributes: Mapping[str, object] | None) -> dict[str, Value]:
    """A copy of attributes without those that OpenTelemetry cannot carry."""
    copied = {key: immutable(value) for key, value in (attributes or {}).items()}
    return {key: value for key, value in copied.items() if value is not None}


def exception_event(failure: BaseException, at_ns: int, extra: Mapping[str, Value]) -> Event:
    """An exception as OpenTelemetry records it; formatted at once, so that no traceback keeps locals alive."""
    stack = "".join(traceback.format_exception(failure))
    return Event(
        "exception",
        at_ns,
        {
            names.EXCEPTION_TYPE: type(failure).__qualname__,
            names.EXCEPTION_MESSAGE: str(failure),
            names.EXCEPTION_STACKTRACE: stack[-LONGEST_STACKTRACE:],
            **extra,
        },
    )
