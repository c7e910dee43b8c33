"""The spans of one trace, as trees below the spans where work entered a process."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from ragvigil_monitor.conventions.provenance import PARENT_IS_REMOTE, REPEATED_STAGE, SCOPE_NAME

MOST_ANCESTORS: Final = 200
"""How far up one step is looked for: a trace may be as deep as somebody likes to send it."""

Key = tuple[bytes, bytes]
"""Ids of a trace and of a span of it."""


@dataclass(eq=False, slots=True)
class Node:
    """One span: its row in the store, its attributes, what lies directly below it (earliest first) and above it."""

    row: Mapping[str, Any]
    attributes: Mapping[str, object]
    below: list["Node"] = field(default_factory=list)
    parent: "Node | None" = None

    @property
    def kind(self) -> str | None:
        """The OpenInference kind."""
        kind: str | None = self.row["kind"]
        return kind

    @property
    def is_foreign(self) -> bool:
        """Whether another instrumentation made it, and of a kind that is known."""
        return SCOPE_NAME in self.attributes

    @property
    def stage(self) -> str | None:
        """The stage that it told of, also where it was found that another span of the trace stands for it."""
        stage: str | None = self.row["stage"]
        noted = self.attributes.get(REPEATED_STAGE) if self.is_foreign else None
        return noted if stage is None and isinstance(noted, str) else stage

    @property
    def span_id(self) -> bytes:
        """The id."""
        span_id: bytes = self.row["span_id"]
        return span_id

    @property
    def key(self) -> Key:
        """What it is known by wherever traces are."""
        return self.row["trace_id"], self.row["span_id"]

    @property
    def started_at(self) -> datetime:
        """When it started."""
        started_at: datetime = self.row["started_at"]
        return started_at

    @property
    def ended_at(self) -> datetime:
        """When it ended; its start where that is unknown."""
        return self.started_at + timedelta(milliseconds=self.row["duration_ms"] or 0.0)

    def all(self) -> Iterator["Node"]:
        """It and everything below, above before below."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.below)

    def above(self) -> Iterator["Node"]:
        """Its ancestors, the nearest first, at most MOST_ANCESTORS."""
        node = self.parent
        for _ in range(MOST_ANCESTORS):
            if node is None:
                return
            yield node
            node = node.parent


@dataclass(frozen=True, slots=True)
class Trace:
    """roots: where no parent is known, earliest first."""

    roots: Sequence[Node]

    def all(self) -> Iterator[Node]:
        """Every span."""
        for root in self.roots:
            yield from root.all()


def grow(nodes: Sequence[Node]) -> Trace:
    """Put spans of one trace below their parents. Those in a circle of parents are left out: they are below nothing."""
    by_id = {node.span_id: node for node in nodes}
    roots: list[Node] = []
    for node in sorted(by_id.values(), key=lambda each: (each.started_at, each.span_id)):
        node.parent = by_id.get(node.row["parent_span_id"])
        (roots if node.parent is None else node.parent.below).append(node)
    return Trace(roots)


def is_entry(root: Node) -> bool:
    """Whether nothing above a root can be expected: it has no parent, or one in another process."""
    return root.row["parent_span_id"] is None or root.attributes.get(PARENT_IS_REMOTE) is True
