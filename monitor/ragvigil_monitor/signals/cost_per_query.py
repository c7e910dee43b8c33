"""Cost of an answer, the sum over its stages: series `mean`, `p50`, `p99`.

An answer with the cost of some stages is known; one without the cost of any is missing, not free.
"""

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.hour_sums import Segment, segments
from ragvigil_monitor.signals.signal import Look, Signal
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.statistics.mean_interval import mean_interval
from ragvigil_monitor.statistics.quantile_interval import quantile_interval
from ragvigil_monitor.store import Store

QUANTILES = {"p50": 0.50, "p99": 0.99}


def estimate(look: Look) -> dict[str, IntervalEstimate]:
    """The three series over the answers of the window; nothing where there were no answers."""
    costs = np.concatenate(
        [_costs(look.store, each) for each in segments(look.store, look.window.start, look.window.end)]
    )
    if not len(costs):
        return {}
    usable = np.where(costs >= 0, costs, np.nan)
    quantiles = {name: quantile_interval(usable, q, alpha=look.alpha) for name, q in QUANTILES.items()}
    return {"mean": mean_interval(usable, alpha=look.alpha), **quantiles}


def _costs(store: Store, part: Segment) -> NDArray[np.float64]:
    question = "costs_summed" if part.is_summed else "costs_of_answers"
    costs: NDArray[np.float64] = store.columns(question, window_start=part.start, window_end=part.end)["value"]
    return costs


COST_PER_QUERY = Signal(name="cost_per_query", unit="usd", estimate=estimate)
