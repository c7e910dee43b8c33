"""Spans that come for an hour whose spans were removed for their age: which of them can be told from what was there.

Answers stay longer than spans, so an answer that comes again is known. Whether a stage of such an answer comes again
or for the first time nobody can tell any more; it is passed over, since all that is kept of it has been added up. An
answer that was never there is stored with its stages, which the sums of the hour lack.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

import pyarrow as pa

from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.receiver.times import microseconds
from ragvigil_monitor.store import Writer
from ragvigil_monitor.telemetry_tables import Row, SpanKey, positions, span_key, to_arrow

IGNORED: Final = "ignored_after_removal"
"""Spans that were passed over, because those of their answer were removed."""
NOT_SUMMED: Final = "flawed_after_removal"
"""Spans that are stored, and that the sums of their hour lack."""
_OLD: Final = timedelta(days=1)
"""Spans stay at least so long."""
_HOUR_US: Final = 3_600_000_000
_TRACE: Final = pa.schema([tables.SPANS.field("trace_id")])
_AT: Final = positions(tables.SPANS)
_STARTED_AT, _ANSWER = _AT["started_at"], _AT["answer_span_id"]


@dataclass(frozen=True, slots=True)
class Closed:
    """hours: those whose spans were removed, in microseconds since the epoch. answers: without their span, by trace."""

    hours: frozenset[int] = frozenset()
    answers: Mapping[bytes, frozenset[bytes]] = field(default_factory=dict)

    def known(self, rows: Iterable[Row]) -> set[SpanKey]:
        """Spans that are answers which are stored."""
        return {span_key(row) for row in rows if row[1] in self._answers_of(row)} if self.answers else set()

    def passed_over(self, rows: Iterable[Row], given: Iterable[Row]) -> set[SpanKey]:
        """Spans that belong, or may belong, to an answer whose spans were removed. given: answers of the batch."""
        if not self.answers:
            return set()
        own = set(map(span_key, given))
        return {span_key(row) for row in rows if self._is_passed_over(row, own)}

    def not_summed(self, rows: Iterable[Row]) -> list[Row]:
        """Those whose hour has its sums already, which lack them."""
        return [row for row in rows if row[_STARTED_AT] // _HOUR_US * _HOUR_US in self.hours] if self.hours else []

    def _is_passed_over(self, row: Row, given: set[SpanKey]) -> bool:
        answers, owner = self._answers_of(row), row[_ANSWER]
        return bool(answers) and (owner in answers or (owner is None and span_key(row) not in given))

    def _answers_of(self, row: Row) -> frozenset[bytes]:
        return self.answers.get(row[0], frozenset())


def closed(writer: Writer, spans: Sequence[Row], within: Mapping[str, datetime], received_at: datetime) -> Closed:
    """What is closed of the hours of a batch; asks nothing where all of it is young."""
    if min(row[_STARTED_AT] for row in spans) > microseconds(received_at - _OLD):
        return Closed()
    hours = frozenset(microseconds(row["hour"]) for row in writer.execute("closed_hours", **within))
    if not hours:
        return Closed()
    traces = to_arrow(_TRACE, [row[:1] for row in spans])
    answers: dict[bytes, frozenset[bytes]] = {}
    for row in writer.execute_with("closed_answers", traces, **within):
        answers[row["trace_id"]] = answers.get(row["trace_id"], frozenset()) | {row["span_id"]}
    return Closed(hours, answers)
