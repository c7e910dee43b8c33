"""What one request brings, decoded: rows for the tables, and what was wrong with it."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from ragvigil_monitor.phoenix.picking import Picked
from ragvigil_monitor.telemetry_tables import LOG_EVENTS, PROCESS_COUNTS, SPANS, Row

_STARTED: Final = SPANS.get_field_index("started_at")


@dataclass(slots=True)
class Batch:
    """Rows of one request. `outcomes` counts (service, 'rejected_', 'flawed_' or 'ignored_' and a reason).

    positions: up to where files are stored once these rows are, at most one a file counts: the last.
    picked: what of the request goes on to Phoenix when it is stored. foreign: rows of `spans` that other
    instrumentations made; they are linked when their trace is settled.
    """

    spans: list[Row] = field(default_factory=list)
    answers: list[Row] = field(default_factory=list)
    query_vectors: list[Row] = field(default_factory=list)
    log_events: list[Row] = field(default_factory=list)
    process_counts: list[Row] = field(default_factory=list)
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    positions: list[Row] = field(default_factory=list)
    picked: Picked | None = None
    foreign: list[Row] = field(default_factory=list)

    def count(self, service: str, outcome: str, items: int = 1) -> None:
        """Note what became of items of a service."""
        self.outcomes[service, outcome] += items

    def add(self, other: "Batch") -> None:
        """Append all rows and counts of another batch."""
        self.spans += other.spans
        self.answers += other.answers
        self.query_vectors += other.query_vectors
        self.log_events += other.log_events
        self.process_counts += other.process_counts
        self.outcomes += other.outcomes
        self.positions += other.positions

    def rows(self) -> int:
        """How many rows there are for all tables together."""
        tables = (self.spans, self.answers, self.query_vectors, self.log_events, self.process_counts)
        return sum(len(table) for table in tables)

    def newest_us(self) -> int | None:
        """When the newest span began, in microseconds since the epoch; None without spans."""
        return max((row[_STARTED] for row in self.spans), default=None)

    def items_by_service(self) -> Counter[str]:
        """How many spans and log records of each service have rows."""
        tables = ((SPANS, self.spans), (LOG_EVENTS, self.log_events), (PROCESS_COUNTS, self.process_counts))
        return Counter(row[schema.get_field_index("service")] for schema, rows in tables for row in rows)

    def rejected(self) -> int:
        """How many items have no row."""
        return sum(items for (_, outcome), items in self.outcomes.items() if outcome.startswith("rejected_"))

    def remarks(self) -> str:
        """What was wrong, for the sender; empty when nothing was."""
        by_outcome: Counter[str] = Counter()
        for (_, outcome), items in self.outcomes.items():
            by_outcome[outcome] += items
        return ", ".join(f"{outcome}: {items}" for outcome, items in sorted(by_outcome.items()))
