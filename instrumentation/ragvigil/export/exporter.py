"""What passes between the background thread and whatever delivers."""

from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Protocol


class Signal(StrEnum):
    """Kind of a payload."""

    TRACES = "traces"
    LOGS = "logs"


class Outcome(Enum):
    """What became of one attempt. SPOOLED: it failed, and what was to be delivered is on disk instead."""

    ACCEPTED = "accepted"
    RETRY = "retry"
    REFUSED = "refused"
    SPOOLED = "spooled"


@dataclass(frozen=True, slots=True)
class Delivery:
    """The answer to one attempt: how many items were rejected although it was accepted, when to try again, why not.

    `status` is that of the HTTP response, None without one; `failure` is why there was none. `said` are the receiver's
    own words: it may repeat what it was sent, so they are for who may see that, and for no log.
    """

    outcome: Outcome
    rejected: int = 0
    retry_after_s: float | None = None
    reason: str = ""
    status: int | None = None
    failure: Exception | None = None
    said: str = ""

    @property
    def told(self) -> str:
        """`reason` with what the receiver said."""
        return f"{self.reason}: {self.said}" if self.said else self.reason


ACCEPTED = Delivery(Outcome.ACCEPTED)


class Exporter(Protocol):
    """Delivers encoded requests; called by one thread at a time."""

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        """Try once to deliver an `ExportTraceServiceRequest` or `ExportLogsServiceRequest`."""
        ...

    def close(self) -> None:
        """Let go of connections; a later `export` may open them again."""
        ...
