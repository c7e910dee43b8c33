"""A span on its way to a row: filled columns, attributes not yet placed, and flaws."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from ragvigil_monitor.receiver.columns import AT
from ragvigil_monitor.telemetry_tables import SPANS, Row

Value = TypeVar("Value")


@dataclass(slots=True)
class Draft:
    """One span. `rest` holds attributes without a column so far; what is in it at the end is stored as JSON."""

    row: Row
    rest: dict[str, object] = field(default_factory=dict)
    flaws: set[str] = field(default_factory=set)

    def __getitem__(self, column: str) -> object:
        return self.row[AT[column]]

    def __setitem__(self, column: str, value: object) -> None:
        self.row[AT[column]] = value

    def take(self, attribute: str, accepts: Callable[[object], Value | None], name: str) -> Value | None:
        """Remove an attribute and return it; None when absent, or not acceptable: then it stays, with a flaw."""
        if attribute not in self.rest:
            return None
        value = accepts(self.rest[attribute])
        if value is None:
            self.flaws.add(f"bad_{name}")
        else:
            del self.rest[attribute]
        return value

    def reject(self, attribute: str, value: object, position: int) -> None:
        """Keep an attribute that its column does not accept, with a flaw."""
        self.rest[attribute] = value
        self.flaws.add(f"bad_{SPANS.names[position]}")
