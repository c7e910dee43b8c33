"""The permutation test of a window against its season-matched reference: evidence beside an alarm, never the alarm.

It says how large the difference is, in which slice it lies, and which queries show it. Its p value holds for
independent queries only, which live traffic is not.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.drift.sample import MOST_COMPARED, Sample
from ragvigil_monitor.statistics.drift_replay import MINIMUM
from ragvigil_monitor.statistics.mmd_permutation import mmd_test
from ragvigil_monitor.statistics.ridge_auc import ridge_auc
from ragvigil_monitor.statistics.season_match import season_matched
from ragvigil_monitor.statistics.usable_vectors import duplicate_share, first_copies
from ragvigil_monitor.statistics.witness import Contributions, contributions

MOST_OF_WINDOW = MOST_COMPARED // 2
NEEDED_OF_REFERENCE = 200
MANY_DUPLICATES = 0.2
"""With a larger share of exact copies the window is tested without them too."""
MOST_TRACES = 10
MOST_SLICES = 10


@dataclass(frozen=True, slots=True)
class SliceContribution:
    """What a slice adds to MMD²; all slices and the queries without one add up to it.

    n: its queries in the window. excess: how many more those are than its share of the reference would give.
    """

    value: str
    n: int
    excess: float
    contribution: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the tests of m vectors against n of their reference found; see `MmdTest` and `AucTest`.

    duplicate_share: of the m vectors. deduplicated_p: without copies, where those are many. slices, trace_ids: those
    that contribute most, first.
    """

    n: int
    m: int
    mmd2: float
    p: float
    approximate_p: float | None
    permutations: int
    gamma: float
    auc: float
    auc_p: float
    duplicate_share: float
    deduplicated_p: float | None
    slices: list[SliceContribution]
    trace_ids: list[str]


def compare(reference: Sample, window: Sample) -> Comparison | None:
    """Test a window against as much of a reference as matches its season; None where either is too small."""
    matched = matched_reference(reference, window)
    if matched is None:
        return None
    mmd, auc = mmd_test(matched.unit, window.unit), ridge_auc(matched.unit, window.unit)
    share = duplicate_share(window.unit)
    parts = contributions(matched.unit, window.unit, mmd.gamma)
    return Comparison(
        n=mmd.n,
        m=mmd.m,
        mmd2=mmd.mmd2,
        p=mmd.p,
        approximate_p=mmd.approximate_p,
        permutations=mmd.permutations,
        gamma=mmd.gamma,
        auc=auc.auc,
        auc_p=auc.p,
        duplicate_share=share,
        deduplicated_p=_without_copies(matched, window, mmd.gamma) if share > MANY_DUPLICATES else None,
        slices=_slices(matched, window, parts),
        trace_ids=_traces(window, parts.current),
    )


def matched_reference(reference: Sample, window: Sample) -> Sample | None:
    """As much of a reference as matches the season of a window; None where either is too small."""
    matched = reference.at(season_matched(reference.cells, window.cells, most=MOST_COMPARED))
    return None if len(matched) < NEEDED_OF_REFERENCE or len(window) < MINIMUM else matched


def _without_copies(matched: Sample, window: Sample, gamma: float) -> float | None:
    once = window.unit[first_copies(window.unit)]
    return mmd_test(matched.unit, once, gamma=gamma).p if len(once) >= MINIMUM else None


def _slices(matched: Sample, window: Sample, parts: Contributions) -> list[SliceContribution]:
    names = sorted({*matched.intents, *window.intents} - {None})
    found = [_slice(name, matched, window, parts) for name in names]
    return sorted(found, key=lambda each: -each.contribution)[:MOST_SLICES]


def _slice(name: str, matched: Sample, window: Sample, parts: Contributions) -> SliceContribution:
    before, now = matched.intents == name, window.intents == name
    n = int(now.sum())
    contribution = float(parts.reference[before].sum() + parts.current[now].sum())
    return SliceContribution(name, n, n - len(window) * float(before.mean()), contribution)


def _traces(window: Sample, contributed: NDArray[np.float64]) -> list[str]:
    most_first = window.trace_ids[np.argsort(-contributed, kind="stable")]
    return list(dict.fromkeys(most_first.tolist()))[:MOST_TRACES]
