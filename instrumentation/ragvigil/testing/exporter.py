"""An exporter that keeps what it is given."""

from ragvigil.export.exporter import ACCEPTED, Delivery, Signal
from ragvigil.testing.snapshots import LogSnapshot, SpanSnapshot, read_logs, read_spans


class InMemoryExporter:
    """Keeps everything; give it to `configure(exporter=...)` and call `ragvigil.flush()` before looking."""

    def __init__(self) -> None:
        self.spans: list[SpanSnapshot] = []
        self.logs: list[LogSnapshot] = []

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        """Decode and keep."""
        if signal is Signal.TRACES:
            self.spans.extend(read_spans(payload))
        else:
            self.logs.extend(read_logs(payload))
        return ACCEPTED

    def close(self) -> None:
        """Keep what is there."""

    def named(self, name: str) -> list[SpanSnapshot]:
        """The spans of one name, in the order in which they ended."""
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> SpanSnapshot:
        """The only span of one name; ValueError where there are none or several."""
        (span,) = self.named(name)
        return span
