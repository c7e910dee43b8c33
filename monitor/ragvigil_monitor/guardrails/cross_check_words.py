"""What is said beside a drift alert of the check by another implementation."""

from datetime import datetime

from ragvigil_monitor.drift.cross_check import BACKEND, CROSS_CHECK, CrossCheck, newest_cross_check
from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.service import Service


def cross_check_sentence(service: Service, earliest: datetime, latest: datetime) -> str | None:
    """Of the evidence of windows that end between two times; None where no check is there and none is wanted."""
    found = newest_cross_check(service.store, earliest, latest)
    if found is not None:
        return cross_check_note(found)
    if service.settings.drift.backend != BACKEND:
        return None
    failing = [row["error"] for row in service.store.rows("job_problems_now") if row["job"] == CROSS_CHECK]
    return f"Not checked by {BACKEND}: {failing[0]}" if failing else f"{BACKEND} has not checked the MMD² yet."


def cross_check_note(check: CrossCheck) -> str:
    """For example: "MMD² of the day up to … UTC, mini-3 (384 numbers), by alibi-detect 0.11.4: 0.00274, …"."""
    verdict = "" if check.agrees else " They disagree: trust neither before you know why."
    return (
        f"MMD² of the day up to {check.window_end:%Y-%m-%d %H:%M} UTC, {Encoder(check.model, check.dimension)}, "
        f"by {check.backend} {check.version}: {check.mmd2:.3g}, builtin differs by {abs(check.difference):.0e}; "
        f"p = {check.p:.2g} of {check.permutations} permutations of its own; "
        f"checked {check.checked_at:%Y-%m-%d %H:%M} UTC.{verdict}"
    )
