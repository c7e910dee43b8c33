"""Faithfulness: the mean score that the judge gives to a random sample of answers. Series `all`.

The mean is unweighted: where the sampled share changes within a window, thinly sampled hours count for less than their
answers.

A sampled answer that could not be scored is missing; which judge and how far it can be trusted, says the guardrail.
"""

from ragvigil_monitor.judges.judge import MEASURES
from ragvigil_monitor.signals.signal import Look, Signal
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate
from ragvigil_monitor.statistics.mean_score import mean_score

ALL = "all"


def estimate(look: Look) -> dict[str, IntervalEstimate]:
    """The one series; nothing where no answer of the window was judged."""
    scores = look.store.columns("scores_of_answers", window_start=look.window.start, window_end=look.window.end)[
        "value"
    ]
    return {ALL: mean_score(scores, alpha=look.alpha)} if len(scores) else {}


FAITHFULNESS = Signal(name=MEASURES, unit="ratio", estimate=estimate)
