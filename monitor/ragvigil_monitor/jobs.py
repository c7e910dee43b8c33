"""Every job of the monitor, in the order in which they run."""

from functools import partial
from typing import Any

from ragvigil_monitor.drift.comparing import compare_days
from ragvigil_monitor.drift.days import add_up_days
from ragvigil_monitor.drift.fitting import fit_references
from ragvigil_monitor.drift.hours import add_up_hours
from ragvigil_monitor.feedback import join_feedback
from ragvigil_monitor.foreign.job import settle_foreign
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.notifiers.deliver import deliver, settle
from ragvigil_monitor.guardrails.registry import GUARDRAILS
from ragvigil_monitor.guardrails.watch import watch
from ragvigil_monitor.hour_sums import HOUR_SUMS
from ragvigil_monitor.job import Job
from ragvigil_monitor.judges.judging import JUDGE
from ragvigil_monitor.phoenix.annotating import annotate
from ragvigil_monitor.phoenix.counting import keep_counts
from ragvigil_monitor.rate_counting import HOUR_S, count_rate
from ragvigil_monitor.rate_history import count_history
from ragvigil_monitor.retention import RETENTION
from ragvigil_monitor.review.drawing import DRAW, DRAW_RELEVANCE
from ragvigil_monitor.review.label_reading import READ_LABELS
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.rate import Rate
from ragvigil_monitor.signals.rates import RATES
from ragvigil_monitor.upkeep import link_stages, note_markers, warm_up


def jobs(settings: Settings) -> list[Job]:
    """The jobs under these settings: first what looks depend on, then the guardrails, then what they lead to."""
    return [
        Job("foreign_answers", 0, settle_foreign),
        Job("link_stages", 0, link_stages),
        Job("join_feedback", 0, join_feedback),
        HOUR_SUMS,
        Job("markers", 0, note_markers),
        Job("warm_up", 0, warm_up),
        Job("drift_hours", 3600, add_up_hours),
        Job("drift_days", 86400, add_up_days, most_ends=1),
        Job("drift_references", 3600, fit_references),
        Job("drift_evidence", 86400, compare_days, most_ends=7),
        DRAW,
        DRAW_RELEVANCE,
        READ_LABELS,
        JUDGE,
        *(_recounting(rate) for rate in RATES),
        *(_counting(rate) for rate in RATES),
        *(_looks(guardrail, settings) for guardrail in GUARDRAILS),
        Job("settle", 0, settle),
        Job("deliver", 0, deliver),
        *_for_phoenix(settings),
        *([RETENTION] if settings.retention.enabled else []),
    ]


def _for_phoenix(settings: Settings) -> list[Job]:
    if settings.phoenix.url is None:
        return []
    return [Job("phoenix_counts", 0, keep_counts), Job("phoenix_annotations", 0, annotate)]


def _recounting(rate: Rate) -> Job:
    return Job(f"{rate.name}_history", 0, partial(count_history, rate.name))


def _counting(rate: Rate) -> Job:
    return Job(f"{rate.name}_counts", HOUR_S, partial(count_rate, rate.name), matures_s=rate.matures_s)


def _looks(guardrail: Guardrail[Any], settings: Settings) -> Job:
    return Job(
        guardrail.name,
        guardrail.every_s(settings),
        partial(watch, guardrail),
        guardrail.most_ends,
        guardrail.matures_s(settings),
    )
