"""What the labels say about all answers: rates with intervals, and how far reviewers agree."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import numpy as np

from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.labels import POSITIVE, Label
from ragvigil_monitor.review.weights import Reviewed, effective_sample
from ragvigil_monitor.statistics.agreement import Agreement, agreement
from ragvigil_monitor.statistics.hajek import RateEstimate, hajek_rate, uniform_rate
from ragvigil_monitor.store import Store

RATES: Final[Mapping[str, Collection[Label]]] = {
    "not_fully_supported": POSITIVE,
    "unsupported": (Label.UNSUPPORTED,),
}
"""Each rate and the labels that are its events; the denominator is every answer that makes a claim."""


@dataclass(frozen=True, slots=True)
class UniformCheck:
    """The same rate from the uniform stratum alone, without weights: Clopper-Pearson."""

    events: int
    n: int
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class ReviewedWindow:
    """Every rate over the answers that started in a window; drawn, labelled, skipped count answers."""

    start: datetime
    end: datetime
    drawn: int
    labelled: int
    skipped: int
    rates: Mapping[str, RateEstimate]
    uniform: Mapping[str, UniformCheck]
    agreement: Agreement


def reviewed_window(store: Store, days: int, now: datetime) -> ReviewedWindow:
    """What is known of the answers of the last `days` days."""
    start = now - timedelta(days=days)
    rows = store.rows("reviews_between", kind=Kind.ANSWER.value, start=start, end=now, now=now)
    by_item = {row["item_id"]: row for row in rows}.values()
    sample = effective_sample(rows)
    return ReviewedWindow(
        start,
        now,
        len(by_item),
        sum(row["first_label"] is not None for row in by_item),
        sum(row["is_skipped"] for row in by_item),
        {name: _rate(sample, events) for name, events in RATES.items()},
        {name: _uniform(sample, events) for name, events in RATES.items()},
        _agreement(store, start, now),
    )


def _rate(sample: Sequence[Reviewed], events: Collection[Label]) -> RateEstimate:
    return hajek_rate(
        [np.nan if each.label is None else each.label in events for each in sample],
        [np.nan if each.label is None else each.label != Label.NO_CLAIM for each in sample],
        [each.inclusion for each in sample],
    )


def _uniform(sample: Sequence[Reviewed], events: Collection[Label]) -> UniformCheck:
    labels = [each.label for each in sample if each.is_uniform and each.label not in {None, Label.NO_CLAIM}]
    happened = sum(label in events for label in labels)
    lower, upper = uniform_rate(happened, len(labels)) if labels else (None, None)
    return UniformCheck(happened, len(labels), lower, upper)


def _agreement(store: Store, start: datetime, end: datetime) -> Agreement:
    pairs = store.rows("double_labels_between", start=start, end=end)
    return agreement((row["first_label"] in POSITIVE, row["second_label"] in POSITIVE) for row in pairs)
