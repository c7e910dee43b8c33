"""The job that removes what is older than it is to be kept."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from ragvigil_monitor.job import Job, NotNow, Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Writer

REMOVALS: Final[Mapping[str, tuple[str, ...]]] = {
    "spans_days": (
        "finish_summed_hours",
        "count_old_spans",
        "remove_old_spans",
        "remove_old_arrivals",
        "keep_old_arrivals",
        "remove_old_log_events",
    ),
    "vectors_days": ("remove_old_query_vectors",),
    "answers_days": (
        "remove_old_answers",
        "remove_old_feedback",
        "remove_old_judge_scores",
        "remove_old_estimates",
        "remove_old_rate_counts",
        "remove_old_rate_slices",
        "remove_old_rate_hours",
        "remove_old_alerts",
        "remove_old_deliveries",
        "remove_old_process_counts",
        "remove_old_process_counts_by_hour",
        "remove_old_summed_hours",
        "remove_old_answer_stages",
        "remove_old_latency_buckets",
        "remove_old_told_hours",
        "remove_old_told_libraries",
    ),
}
"""What goes by which setting, in this order."""


def remove_old(service: Service, turn: Turn) -> Write:
    """Remove what had its time at the newest of the ends: earlier ones would remove a part of that.

    Not before all of it is added up, which is asked where nothing can come in between.
    """
    kept_days = service.settings.kept_days
    before = {setting: turn.ends[-1] - timedelta(days=kept_days[setting]) for setting in REMOVALS}

    def write(writer: Writer) -> None:
        if writer.execute("hours_stale_before", before=before["spans_days"]):
            raise NotNow
        for setting, questions in REMOVALS.items():
            for question in questions:
                writer.execute(question, before=before[setting])
        writer.execute("forget_removed_spans")

    return write


def oldest_spans(service: Service, now: datetime) -> datetime | None:
    """Before which time no spans are kept; None where nothing is removed."""
    settings = service.settings
    return now - timedelta(days=settings.kept_days["spans_days"]) if settings.retention.enabled else None


def removes_spans_within(service: Service, within: timedelta) -> bool:
    """Whether every span that is older than this was removed, and counted."""
    settings = service.settings
    return settings.retention.enabled and timedelta(days=settings.kept_days["spans_days"]) <= within


RETENTION: Final = Job("retention", 86400, remove_old)
