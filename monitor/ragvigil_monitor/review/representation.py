"""Whether the retrievals that were drawn, or judged, stand for all of them.

Weights can make up for a small share, not for a part of the traffic that is never drawn or never judged. Filtered
retrievals without probes would make the rate over all retrievals a reassuring zero, since the others exclude nothing;
unfiltered ones that are missing would make it too high, though never higher than the rate among the filtered.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ragvigil_monitor.review.strata import FILTER_PROBE, UNFILTERED

PROBED: Final = "probed_"
"""Begins the standings of probed retrievals that lack what a review needs, such as documents."""

_NOT_PROBED: Final = ("not_probed", "probe_failed", "probe_share_unknown")
_TOLERATED: Final = {FILTER_PROBE: 0.01, UNFILTERED: 0.10}
"""The share of all retrievals that a part may have without being represented."""
_REPRESENTED_FROM: Final = 0.5
"""A part is represented if the sample stands for this share of it; by chance it is rarely less."""
_PROBED_FROM: Final = 0.9
"""Probes have to stand for this share of the filtered, but for chance: what loses probes may be what loses evidence."""
_BY_CHANCE: Final = 3.0
"""Standard errors."""


def held(counts: Mapping[str, int]) -> dict[str, float]:
    """How many retrievals that can be reviewed each part holds.

    Whether a filtered retrieval without a probe had documents to review is not known; as often as one with a probe.
    """
    drawable = counts.get(FILTER_PROBE, 0)
    probed = drawable + sum(n for standing, n in counts.items() if standing.startswith(PROBED))
    others = sum(counts.get(standing, 0) for standing in _NOT_PROBED)
    return {
        FILTER_PROBE: drawable + others * (drawable / probed if probed else 1.0),
        UNFILTERED: float(counts.get(UNFILTERED, 0)),
    }


def unprobed(counts: Mapping[str, int], drawn: Sequence[tuple[str, float]]) -> str | None:
    """The stratum `filter_probe` where surely less than 90 % of it had a probe that could be drawn; else None."""
    known, chances = held(counts), [chance for stratum, chance in drawn if stratum == FILTER_PROBE]
    if known[FILTER_PROBE] <= _TOLERATED[FILTER_PROBE] * sum(known.values()):
        return None
    by_chance = _BY_CHANCE * math.sqrt(sum((1 - chance) / chance**2 for chance in chances))
    return FILTER_PROBE if sum(1 / each for each in chances) + by_chance < _PROBED_FROM * known[FILTER_PROBE] else None


def unrepresented(counts: Mapping[str, int], sample: Iterable[tuple[str, float]]) -> str | None:
    """The stratum that too few stand for: `filter_probe` or `unfiltered`; None where each is represented.

    counts: retrievals by standing; a stratum that is absent was never drawn, and nobody knows what it would hold.
    sample: stratum and inclusion probability, among the recorded, of what was drawn or judged.
    """
    known = held(counts)
    standing_for = dict.fromkeys(known, 0.0)
    for stratum, inclusion in sample:
        if stratum in standing_for:
            standing_for[stratum] += 1 / inclusion
    tolerated = {stratum: share * sum(known.values()) for stratum, share in _TOLERATED.items()}
    return next(
        (
            stratum
            for stratum, n in known.items()
            if stratum not in counts or (n > tolerated[stratum] and standing_for[stratum] < _REPRESENTED_FROM * n)
        ),
        None,
    )
