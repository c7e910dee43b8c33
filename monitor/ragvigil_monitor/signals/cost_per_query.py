"""Cost of an answer, the sum over its stages: series `mean`, `p50`, `p99`.

An answer with the cost of some stages is known; one without the cost of any is missing, not free.
"""

import numpy as np

from ragvigil_monitor.signals.signal import Look, Signal
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.statistics.mean_interval import mean_interval
from ragvigil_monitor.statistics.quantile_interval import quantile_interval

QUANTILES = {"p50": 0.50, "p99": 0.99}


def estimate(look: Look) -> dict[str, IntervalEstimate]:
    """The three series over the answers of the window; nothing where there were no answers."""
    costs = look.store.columns("costs_of_answers", window_start=look.window.start, window_end=look.window.end)["value"]
    if not len(costs):
        return {}
    usable = np.where(costs >= 0, costs, np.nan)
    quantiles = {name: quantile_interval(usable, q, alpha=look.alpha) for name, q in QUANTILES.items()}
    return {"mean": mean_interval(usable, alpha=look.alpha), **quantiles}


COST_PER_QUERY = Signal(name="cost_per_query", unit="usd", estimate=estimate)
