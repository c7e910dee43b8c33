"""The span of a probe."""

from typing import TYPE_CHECKING

from opentelemetry.context import Context
from opentelemetry.trace import SpanContext

from ragvigil import attributes as names
from ragvigil.stages import Stage

if TYPE_CHECKING:
    from ragvigil.recorder import Recorder


class ProbeSpan(Stage):
    """A retrieval in a trace of its own, linked to the one that it probes; all spans of the trace bear its id."""

    __slots__ = ("_id",)

    def __init__(self, probed: SpanContext, dropped_clauses: tuple[str, ...], share: float) -> None:
        super().__init__("retrieve")
        self._id = f"{probed.trace_id:032x}-{probed.span_id:016x}"
        self.add_link(probed)
        self.fields |= {
            "probe_kind": names.PROBE_RELAXED_FILTER,
            "dropped_clauses": dropped_clauses,
            "sampling_probability": share,
        }

    def _probability(self, recorder: "Recorder") -> float:  # noqa: ARG002 - the signature of what it replaces
        """Whoever asks for a probe has decided already."""
        return 1.0

    def start(self, context: Context) -> None:  # noqa: ARG002 - what is current there has no part in this
        """Begin a trace."""
        super().start(Context())
        if self.trace is not None:
            self.trace.probe_id = self._id
