"""Query drift: how far the query vectors of a window lie from their season. Series `mix` and `novelty`.

`mix` finds changed shares of known topics, `novelty` directions in which the traffic never moved before. Only the
busiest encoder of the window is judged; vectors of others and unusable ones are missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from ragvigil_monitor.drift.comparing import ComparedWindow, newest_comparison
from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.hours import hourly_sums, hours_since_epoch
from ragvigil_monitor.drift.reference import DriftReference, reference_at
from ragvigil_monitor.signals.signal import Look, Signal
from ragvigil_monitor.statistics.gumbel_limit import GumbelLimit
from ragvigil_monitor.statistics.mix_statistic import mix_statistics
from ragvigil_monitor.statistics.vector_windows import trailing_windows
from ragvigil_monitor.store.database import Row

MIX = "mix"
NOVELTY = "novelty"
SERIES = (MIX, NOVELTY)


@dataclass(frozen=True, slots=True)
class Drift:
    """One series over one window. n: vectors of the encoder. since: the first hour that had any.

    encoder, since: None where the window has no vectors, although some came before. value: None without a reference,
    or with fewer than two vectors. quiet: how large the value became on quiet days; None without a reference, and
    then `effect` is all that is known.
    """

    value: float | None
    n: int
    missing: int
    encoder: Encoder | None = None
    since: datetime | None = None
    quiet: GumbelLimit | None = None
    effect: ComparedWindow | None = None


def estimate(look: Look) -> dict[str, Drift]:
    """Both series; nothing as long as no vector has ever arrived."""
    since = {Encoder.of(row): row["since"] for row in look.store.rows("encoders_until", now=look.window.end)}
    if not since:
        return {}
    rows = look.store.rows("drift_hours_between", window_start=look.window.start, window_end=look.window.end)
    received = sum(row["n"] + row["unusable"] for row in rows)
    if not any(row["n"] for row in rows):
        return dict.fromkeys(SERIES, Drift(None, 0, received))
    encoder = _busiest(rows)
    own = [row for row in rows if Encoder.of(row) == encoder]
    n = sum(row["n"] for row in own)
    counted = Drift(None, n, received - n, encoder, since[encoder])
    reference = reference_at(look.store, encoder, look.window.end)
    if reference is None:
        effect = newest_comparison(look.store, encoder, since[encoder], look.window.end)
        return dict.fromkeys(SERIES, replace(counted, effect=effect))
    values = _values(look, own, reference)
    return {
        MIX: replace(counted, value=values.get(MIX), quiet=reference.mix),
        NOVELTY: replace(counted, value=values.get(NOVELTY), quiet=reference.novelty),
    }


def _busiest(rows: Sequence[Row]) -> Encoder:
    totals: dict[Encoder, int] = {}
    for row in rows:
        totals[Encoder.of(row)] = totals.get(Encoder.of(row), 0) + row["n"]
    return max(sorted(totals), key=lambda encoder: totals[encoder])


def _values(look: Look, rows: Sequence[Row], reference: DriftReference) -> dict[str, float]:
    end = np.array([hours_since_epoch(look.window.end)])
    hourly = hourly_sums(rows, reference.encoder.dimension)
    windows = trailing_windows(hourly, end, length_h=look.window.length_s // 3600)
    if windows.counts[0] < 2:
        return {}
    novelty = reference.scale.statistics(reference.season.residuals(windows), windows.counts)
    return {MIX: float(mix_statistics(windows, reference.season)[0]), NOVELTY: float(novelty[0])}


QUERY_DRIFT = Signal(
    name="query_drift",
    unit="",
    estimate=estimate,
)
