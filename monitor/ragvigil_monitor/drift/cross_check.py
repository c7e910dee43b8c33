"""The job that has alibi-detect compute the newest drift evidence a second time, and what came of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from ragvigil_monitor.drift.alibi import AlibiDetect
from ragvigil_monitor.drift.comparing import samples
from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.evidence import matched_reference
from ragvigil_monitor.errors import AlibiFailed
from ragvigil_monitor.job import Job, Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.statistics.mmd_permutation import mmd_test
from ragvigil_monitor.store import Store, Writer

CROSS_CHECK = "drift_cross_check"
BACKEND = "alibi-detect"
AGREED = 1e-9
"""Differences of MMD² that rounding explains, and more than a hundred times what was seen."""
_CHECKED_FOR = timedelta(days=2)
"""Evidence that is older explains no alarm any more, and catching up would take hours."""


@dataclass(frozen=True, slots=True)
class CrossCheck:
    """difference: builtin MMD² less `mmd2`, of the same vectors with the same kernel. p: of permutations of its own."""

    window_end: datetime
    model: str
    dimension: int
    backend: str
    version: str
    mmd2: float
    p: float
    permutations: int
    difference: float
    checked_at: datetime

    @property
    def agrees(self) -> bool:
        """Whether no more than rounding lies between the two."""
        return abs(self.difference) <= AGREED


def cross_check_job(alibi: AlibiDetect) -> Job:
    """The check as a job. It may take long, so it does not belong among those that wait for each other."""
    return Job(CROSS_CHECK, 0, partial(check_newest, alibi))


def newest_cross_check(store: Store, earliest: datetime, latest: datetime) -> CrossCheck | None:
    """The check of the newest window that ends between two times, both included."""
    rows = store.rows("newest_drift_cross_check", earliest=earliest, latest=latest)
    return CrossCheck(**rows[0]) if rows else None


def check_newest(alibi: AlibiDetect, service: Service, turn: Turn) -> Write | None:
    """Check the newest evidence that was not checked yet. Raises AlibiFailed when alibi-detect cannot.

    The environment is looked at even when nothing waits: what is wrong with it is best known before an alarm.
    """
    try:
        alibi.usable_version()
        found = _checked(alibi, service, turn.now)
    except AlibiFailed:
        if alibi.stopping.is_set():
            return None
        raise
    return None if found is None else partial(_add, found)


def _add(found: dict[str, Any], writer: Writer) -> None:
    writer.execute("add_drift_cross_check", **found)


def _checked(alibi: AlibiDetect, service: Service, now: datetime) -> dict[str, Any] | None:
    waiting = service.store.rows("drift_evidence_unchecked", earliest=now - _CHECKED_FOR, latest=now)
    if not waiting:
        return None
    evidence, weeks = waiting[0], service.settings.guardrails.query_drift.reference_weeks
    encoder, end, gamma = Encoder.of(evidence), evidence["window_end"], evidence["gamma"]
    reference, window = samples(service.store, encoder, end, version=evidence["version"], weeks=weeks)
    matched = matched_reference(reference, window)
    if matched is None:
        raise AlibiFailed(f"The vectors of the day up to {end:%Y-%m-%d %H:%M} are no longer stored.")
    theirs = alibi.test(matched.unit, window.unit, gamma=gamma, permutations=evidence["permutations"])
    # Vectors that arrived since may belong to the window too: both sides are computed from the same ones.
    ours = mmd_test(matched.unit, window.unit, gamma=gamma, permutations=1)
    return {
        **{name: evidence[name] for name in ("window_end", "window_s", "model", "dimension", "permutations")},
        "backend": BACKEND,
        "version": theirs.version,
        "mmd2": theirs.mmd2,
        "p": theirs.p,
        "difference": ours.mmd2 - theirs.mmd2,
        "checked_at": service.clock(),
    }
