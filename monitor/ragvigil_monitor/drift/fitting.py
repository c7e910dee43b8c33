"""The job that fits a reference, as soon as an encoder has the weeks of history that one takes.

It is then frozen: raising `guardrails.query_drift.baseline` has a new one fitted on the newest weeks.
"""

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.hours import hourly_sums, hours_since_epoch
from ragvigil_monitor.drift.reference import DriftReference
from ragvigil_monitor.drift.sample import MOST_STORED
from ragvigil_monitor.drift.stored_vectors import FLOAT64, unpacked
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import QueryDrift
from ragvigil_monitor.statistics.drift_replay import WINDOW_H, fit_scale, replay
from ragvigil_monitor.statistics.gumbel_limit import GumbelLimit
from ragvigil_monitor.statistics.season_reference import SeasonReference, single_query_covariance
from ragvigil_monitor.store import Store, Writer

Covariance = NDArray[np.float64]


def fit_references(service: Service, turn: Turn) -> Write:
    """Fit what is missing at the ends of a turn."""
    store, settings = service.store, service.settings.guardrails.query_drift
    fitted: dict[Encoder, DriftReference] = {}
    for end in turn.ends:
        for encoder in set(_without_reference(store, settings, end)) - fitted.keys():
            reference = _fit(store, encoder, settings, end)
            if reference is not None:
                fitted[encoder] = reference

    def write(writer: Writer) -> None:
        for reference in fitted.values():
            _write(writer, reference, weeks=settings.reference_weeks)

    return write


def _write(writer: Writer, reference: DriftReference, *, weeks: int) -> None:
    writer.execute_with("add_drift_reference", pa.Table.from_pylist([reference.row()]))
    writer.execute(
        "add_drift_sample",
        **reference.encoder.columns,
        version=reference.version,
        window_start=reference.fitted_at - timedelta(weeks=weeks),
        window_end=reference.fitted_at,
        most=MOST_STORED,
    )


def _without_reference(store: Store, settings: QueryDrift, end: datetime) -> list[Encoder]:
    history_start = end - timedelta(weeks=settings.reference_weeks)
    rows = store.rows("encoders_without_reference", now=end, history_start=history_start, version=settings.baseline)
    return [Encoder.of(row) for row in rows]


def _fit(store: Store, encoder: Encoder, settings: QueryDrift, end: datetime) -> DriftReference | None:
    """None while too few days have windows that can be judged."""
    start = end - timedelta(weeks=settings.reference_weeks)
    rows = store.rows("drift_hours_between", window_start=start, window_end=end)
    hourly = hourly_sums([row for row in rows if Encoder.of(row) == encoder], encoder.dimension)
    covariance = _covariance(store, encoder, start, end)
    if covariance is None:
        return None
    first, last = hours_since_epoch(start), hours_since_epoch(end)
    replayed = replay(hourly, covariance, start=first, weeks=settings.reference_weeks)
    mix, novelty = GumbelLimit.fit(replayed.mix), GumbelLimit.fit(replayed.novelty)
    if mix is None or novelty is None:
        return None
    season = SeasonReference.fit(hourly)
    scale = fit_scale(hourly, season, covariance, np.arange(first + WINDOW_H, last + 1))
    return DriftReference(encoder, settings.baseline, end, int(hourly.counts.sum()), season, scale, mix, novelty)


def _covariance(store: Store, encoder: Encoder, start: datetime, end: datetime) -> Covariance | None:
    """Of single vectors on the whole days of a window; None without any."""
    days = store.rows("drift_days_between", window_start=start, window_end=end, **encoder.columns)
    n = sum(day["n"] for day in days)
    if n == 0:
        return None
    total, outer = np.zeros(encoder.dimension), np.zeros((encoder.dimension, encoder.dimension))
    for day in days:
        total += np.frombuffer(day["vector_sum"], FLOAT64)
        outer += unpacked(day["second_moment"], encoder.dimension)
    return single_query_covariance(outer, n, total / n)
