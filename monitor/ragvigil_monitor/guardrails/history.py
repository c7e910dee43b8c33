"""What people decide about the history that a rate is judged against; by default alarms are no part of it."""

from datetime import datetime

from ragvigil_monitor.keys import Role
from ragvigil_monitor.store import Store


def decide_history(
    store: Store,
    guardrail: str,
    series: str | None,
    *,
    start: datetime,
    end: datetime,
    counts: bool,
    reason: str,
    by: str,
    now: datetime,
) -> None:
    """Let [start, end) count in the history of a series (None: of all), or not; the latest decision wins.

    Raises ValueError unless `start` is before `end`. It is written down who decided.
    """
    if start >= end:
        raise ValueError(f"a span of time begins before it ends; got {start.isoformat()} to {end.isoformat()}")
    with store.transaction() as writer:
        writer.execute(
            "add_history_decision",
            guardrail=guardrail,
            series=series,
            starts_at=start,
            ends_at=end,
            counts=counts,
            reason=reason,
            author=by,
            decided_at=now,
        )
        action = f"{'count' if counts else 'exclude'} {start.isoformat()} to {end.isoformat()}: {reason}"
        subject = f"{guardrail} {series or 'every series'}"
        writer.execute("add_audit", happened_at=now, role=Role.ONCALL.value, actor=by, action=action, subject=subject)
