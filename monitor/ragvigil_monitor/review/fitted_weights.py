"""Weights of judged retrievals, fitted to how many the parts of the traffic hold (post-stratification).

Where some of a part are not judged, the others stand for them too: with inclusion probabilities π, of which the
application's own recording is a, and N recorded retrievals in the part, each π is divided by N / Σ a / π. Otherwise the
part that is judged less would weigh less.

Source: Holt & Smith, Post stratification, J. Royal Statistical Society A 142 (1979).
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weighed:
    """A retrieval of the sample. inclusion: in (0, 1]. recorded: its share that is due to the application's recording.

    is_judged: whether it stands for others.
    """

    stratum: str
    inclusion: float
    recorded: float
    is_judged: bool

    @property
    def chance(self) -> float:
        """Among the recorded."""
        return self.inclusion / self.recorded


def fitted(sample: Sequence[Weighed], held: Mapping[str, float]) -> list[float]:
    """The inclusion probability of each after fitting; held: N by stratum, where it is absent or 0 nothing is fitted.

    >>> one = Weighed("unfiltered", 0.1, 1.0, is_judged=True)
    >>> fitted([one, one], {"unfiltered": 40})
    [0.05, 0.05]
    """
    standing_for: dict[str, float] = defaultdict(float)
    for each in sample:
        standing_for[each.stratum] += each.is_judged / each.chance
    scale = {name: held.get(name, 0.0) / found for name, found in standing_for.items() if found}
    return [min(1.0, each.inclusion / (scale.get(each.stratum) or 1.0)) for each in sample]
