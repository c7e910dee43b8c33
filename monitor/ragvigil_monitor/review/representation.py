"""Whether the retrievals that were drawn, or judged, stand for all of them.

Weights can make up for a small share, not for a part of the traffic that is never drawn or never judged. Filtered
retrievals without probes would make the rate over all retrievals a reassuring zero, since the others exclude nothing;
unfiltered ones that are missing would make it too high, though never higher than the rate among the filtered.
"""

from collections.abc import Iterable, Mapping
from typing import Final

FILTER_PROBE: Final = "filter_probe"
UNFILTERED: Final = "unfiltered"

_FILTERED_STANDINGS: Final = (FILTER_PROBE, "not_probed", "probe_failed", "probe_share_unknown")
_TOLERATED: Final = {FILTER_PROBE: 0.01, UNFILTERED: 0.10}
"""The share of all retrievals that a part may have without being represented."""
_REPRESENTED_FROM: Final = 0.5
"""A part is represented if the sample stands for this share of it; by chance it is rarely less."""


def unrepresented(counts: Mapping[str, int], sample: Iterable[tuple[str, float]]) -> str | None:
    """The stratum that too few stand for: `filter_probe` or `unfiltered`; None where each is represented.

    counts: retrievals by standing; a stratum that is absent was never drawn, and nobody knows what it would hold.
    sample: stratum and inclusion probability of what was drawn, or judged.
    """
    known = {
        FILTER_PROBE: sum(counts.get(standing, 0) for standing in _FILTERED_STANDINGS),
        UNFILTERED: counts.get(UNFILTERED, 0),
    }
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
