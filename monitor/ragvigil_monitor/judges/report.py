"""What is known of each judge: how much of its sample it could score, why not the rest, how far it can be trusted."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from ragvigil_monitor.judges.calibration import Calibration, calibration_of
from ragvigil_monitor.judges.registry import judge_of
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

_EVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
JudgeKey = tuple[str, str]
"""Name and version."""


@dataclass(frozen=True, slots=True)
class JudgeReport:
    """One version of a judge. judged: sampled answers of the window; unscorable: those without a score, by reason.

    first_seen_at: start of the first sampled answer that it judged at any time; None for one that has judged none.
    """

    judge: str
    version: str
    in_use: bool
    first_seen_at: datetime | None
    judged: int
    unscorable: Mapping[str, int]
    calibration: Calibration

    @property
    def scored_share(self) -> float | None:
        """Share of the judged answers that have a score; None where none was judged."""
        return 1 - sum(self.unscorable.values()) / self.judged if self.judged else None


def judge_reports(store: Store, settings: Settings, days: int, now: datetime) -> list[JudgeReport]:
    """The judge in use first, then the others that judged answers of the last `days` days, newest first."""
    outcomes = _outcomes(store, now - timedelta(days=days), now)
    used = store.rows("judge_versions_between", start=_EVER, end=now)
    since = {(row["judge"], row["judge_version"]): row["first_seen_at"] for row in used}
    own = (judge_of(settings).name, judge_of(settings).version)
    others = [key for key in reversed(since) if key != own and key in outcomes]
    return [
        JudgeReport(
            *key,
            in_use=key == own,
            first_seen_at=since.get(key),
            judged=sum(outcomes.get(key, {}).values()),
            unscorable={reason: n for reason, n in outcomes.get(key, {}).items() if reason is not None},
            calibration=calibration_of(store, *key, cut=settings.judge.cut, known_before=now),
        )
        for key in (own, *others)
    ]


def _outcomes(store: Store, start: datetime, end: datetime) -> dict[JudgeKey, dict[str | None, int]]:
    found: dict[JudgeKey, dict[str | None, int]] = {}
    for row in store.rows("judge_outcomes_between", start=start, end=end):
        found.setdefault((row["judge"], row["judge_version"]), {})[row["reason"]] = row["n"]
    return found
