"""An exporter that keeps what it is given."""

from ragvigil import attributes as names
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

    def answers(self) -> list[SpanSnapshot]:
        """The answers, in the order in which they ended."""
        return [span for span in self.spans if span.answer_id is not None]

    def stages(self, name: str | None = None) -> list[SpanSnapshot]:
        """The stages, or those of one name, in the order in which they ended; no probes."""
        stages = [span for span in self.spans if span.stage is not None and names.PROBE_ID not in span.attributes]
        return [span for span in stages if name is None or span.stage == name]

    def probes(self) -> list[SpanSnapshot]:
        """The searches that were done again, in the order in which they ended."""
        return [span for span in self.spans if names.PROBE_KIND in span.attributes]

    def feedback(self) -> list[LogSnapshot]:
        """What users did, in the order of the calls."""
        return [log for log in self.logs if log.event_name == names.EVENT_FEEDBACK]

    def clear(self) -> None:
        """Forget what is there."""
        self.spans.clear()
        self.logs.clear()

    def named(self, name: str) -> list[SpanSnapshot]:
        """The spans of one name, in the order in which they ended."""
        return [span for span in self.spans if span.name == name]

    def one(self, name: str) -> SpanSnapshot:
        """The only span of one name; ValueError where there are none or several."""
        (span,) = self.named(name)
        return span
