"""A store in memory that holds the sample traffic and what was concluded from it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.samples import conclusions
from tests.samples.fresh_stores import fresh_store
from tests.samples.traffic import Traffic, traffic

from ragvigil_monitor.store import Store


@dataclass(frozen=True, slots=True)
class Sample:
    """The store, the moment that it was made for, and what was sent."""

    store: Store
    now: datetime
    sent: Traffic

    @property
    def newest_trace_id(self) -> str:
        """The trace of the newest answer, 32 hex digits."""
        trace_id: bytes = self.sent.answers[-1]["trace_id"]
        return trace_id.hex()


def sample(now: datetime, *, days: float = 3, per_day: int = 200) -> Sample:
    """Some days of traffic with a slow reranker in the last 30 hours, and the alerts that belong to it."""
    store = fresh_store()
    slow_from = (now - timedelta(hours=30)).replace(minute=40, second=0, microsecond=0)
    sent = traffic(now, days=days, per_day=per_day, slow_from=slow_from)
    sent.insert(store)
    conclusions.insert_releases(store, slow_from)
    conclusions.insert_estimates(store, now, slow_from)
    conclusions.insert_states(store, now, slow_from)
    conclusions.insert_alerts(store, now, slow_from, _slowest_traces(sent))
    conclusions.insert_counts(store, now, len(sent.spans))
    return Sample(store, now, sent)


def _slowest_traces(sent: Traffic) -> list[str]:
    slowest = sorted(sent.answers[-50:], key=lambda answer: -answer["duration_ms"])
    return [answer["trace_id"].hex() for answer in slowest[:6]]
