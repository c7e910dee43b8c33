"""What the running service consists of, handed to routes and jobs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Self

from ragvigil_monitor.foreign.unsettled import Unsettled
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.own_metrics import OwnMetrics
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

if TYPE_CHECKING:
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    from ragvigil_monitor.phoenix.forwarder import Forwarder
    from ragvigil_monitor.phoenix.picking import Picked
    from ragvigil_monitor.receiver.commit import Committer

FURTHEST_BACK = timedelta(days=7)
Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The present, aware and in UTC."""
    return datetime.now(UTC)


@dataclass(slots=True)
class ReplayTime:
    """Up to when a replay has come; None while there is none."""

    at: datetime | None = None


@dataclass(slots=True)
class LatestTime:
    """The latest time that is known to have come; None while none is."""

    at: datetime | None = None

    @classmethod
    def stored(cls, store: Store) -> Self:
        """When the newest stored span began."""
        return cls(store.row("newest_span_time")["newest_at"])


@dataclass(frozen=True, slots=True)
class Service:
    """One store, its settings, its keys, its only writer of telemetry, the clock, and what it measures of itself.

    forwarder: the way to Phoenix, if there is one. foreign: traces that other instrumentations tell of and that wait.
    """

    store: Store
    settings: Settings
    keys: Keys
    committer: "Committer"
    clock: Clock = utc_now
    forwarder: "Forwarder | None" = None
    replay: ReplayTime = field(default_factory=ReplayTime)
    metrics: OwnMetrics = field(default_factory=OwnMetrics)
    foreign: Unsettled = field(default_factory=Unsettled)
    latest: LatestTime = field(default_factory=LatestTime)

    @property
    def pick(self) -> "Callable[[ExportTraceServiceRequest], Picked | None] | None":
        """What chooses of a request what goes on to Phoenix; None where nothing does."""
        return None if self.forwarder is None else self.forwarder.pick

    def forward(self, picked: "Picked | None") -> None:
        """Send on what was chosen of a request, once it is stored."""
        if self.forwarder is not None and picked is not None:
            self.forwarder.forward(picked)

    def received_at(self) -> datetime:
        """When something that comes now was received: by the clock, but not before anything that came earlier.

        While a clock that was set back is behind what was stored, the times that senders give are still believed, and
        what they send again is recognised. A clock that was more than a week ahead is not trusted that far.
        """
        now = self.clock()
        self.latest.at = max(now, self.latest.at or now)
        return min(self.latest.at, now + FURTHEST_BACK)

    def review_time(self) -> datetime:
        """The present; in a replay, where jobs run on request only, up to when they ran last."""
        return self.replay.at or self.clock()
