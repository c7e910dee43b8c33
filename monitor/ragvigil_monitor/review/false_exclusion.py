"""How often relevance clauses keep out all evidence there is, estimated from reviewed retrievals.

Series `all`: every retrieval with evidence; one without relevance clauses excludes nothing. Series `filtered`: those
with relevance clauses. Evidence counts as deep as was looked: in a filtered retrieval as deep as its probe, in another
one as deep as the search itself, which is usually less.

Whether evidence was excluded may be unknown for a reason that hides exclusions rather than their absence: what the
filtered search found passes in any case, what only its probe found needs metadata, and the same index. So the upper
bound counts such units as excluded and the lower bounds count them as not excluded. Units unknown for other reasons are
left out.

The retrievals of one answer are probed together and often share their fate: answers are the clusters of the interval.

Weights are fitted to how many retrievals are filtered and how many are not. Where a part of the traffic is not
represented among those that were drawn and judged, `all` is missing evidence, and so is `filtered` if it is that part.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final

import numpy as np

from ragvigil_monitor.review.fitted_weights import Weighed, fitted
from ragvigil_monitor.review.outcomes import Unknown
from ragvigil_monitor.review.representation import held, unprobed, unrepresented
from ragvigil_monitor.review.strata import FILTER_PROBE
from ragvigil_monitor.review.weights import Reviewed, effective_sample
from ragvigil_monitor.statistics.hajek import RateEstimate, hajek_rate
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.database import Row

ALL: Final = "all"
FILTERED: Final = "filtered"
SERIES: Final = (ALL, FILTERED)
NOT_LABELLED: Final = "not_labelled"
"""Why a served retrieval is unknown that was skipped, or is in the hands of a reviewer."""

_HIDES_EXCLUSIONS: Final = frozenset(
    {Unknown.NO_METADATA.value, Unknown.NOT_ALL_SHOWN.value, Unknown.INDEX_CHANGED.value}
)


@dataclass(frozen=True, slots=True)
class ExclusionRate:
    """One series. `rate` has answers as n and events. drawn, waiting: retrievals, and how many no reviewer was given.

    unknown: how many of the reviewed are unknown for which reason. depths: the shallowest and the deepest that probes
    looked, unfiltered_depths: that searches without relevance clauses did; None where none told. not_drawn: retrievals
    that are in no stratum, by reason. unrepresented: the stratum of which so few were drawn or judged that there is no
    rate. judged: the estimate without what could not be judged.
    """

    rate: RateEstimate
    drawn: int
    waiting: int
    unknown: Mapping[str, int]
    depths: tuple[int, int] | None
    unfiltered_depths: tuple[int, int] | None = None
    not_drawn: Mapping[str, int] = field(default_factory=dict)
    unrepresented: str | None = None
    judged: RateEstimate = field(default=hajek_rate([], [], []))

    def held_up_by_unknown(self, limit: float, *, alarm: bool) -> bool:
        """Whether what was judged decides about a limit, and only what could not be judged keeps a verdict away."""
        return _decides(self.judged, limit, alarm=alarm) and not _decides(self.rate, limit, alarm=alarm)


NOTHING_DRAWN: Final = ExclusionRate(hajek_rate([], [], []), drawn=0, waiting=0, unknown={}, depths=None)


def exclusion_rates(
    store: Store, start: datetime, end: datetime, *, now: datetime, level: float = 0.95, alpha: float = 0.001
) -> dict[str, ExclusionRate]:
    """Both series over the answers that started in [start, end); nothing where none of their retrievals was drawn.

    now: until when reviewers hold what they were given. level: of the two-sided interval. alpha: error probability of
    the alarm bound.
    """
    asked = {"kind": "relevance", "start": start, "end": end}
    recorded = {row["item_id"]: row["recorded"] for row in store.rows("recording_of_reviews", **asked)}
    rows = store.rows("reviews_between", **asked, now=now)
    drawn = [{**row, "recorded": recorded[row["item_id"]]} for row in rows]
    rows = store.rows("relevance_outcomes_between", start=start, end=end, now=now)
    outcomes = {row["item_id"]: row for row in rows}
    standings = store.rows("retrievals_by_standing", start=start, end=end)
    not_drawn = {row["standing"]: row["n"] for row in standings if row["n"] and not row["is_stratum"]}
    counts = {row["standing"]: row["n"] for row in standings}
    by_series = {ALL: drawn, FILTERED: [row for row in drawn if row["stratum"] == FILTER_PROBE]}
    found = {
        series: replace(exclusion_rate(own, outcomes, held(counts), level=level, alpha=alpha), not_drawn=not_drawn)
        for series, own in by_series.items()
        if own
    }
    lacking = [each for each in _lacking(counts, drawn, outcomes) if each is not None]
    return {
        series: _without_rate(rate, [each for each in lacking if series == ALL or each == FILTER_PROBE])
        for series, rate in found.items()
    }


def _lacking(counts: Mapping[str, int], drawn: Sequence[Row], outcomes: Mapping[str, Row]) -> Iterator[str | None]:
    chances = [(row["stratum"], row["sampling_probability"] * row["probability"] / row["recorded"]) for row in drawn]
    yield unrepresented(counts, chances)
    yield unprobed(counts, chances)
    sample = effective_sample(drawn)
    judged = [each for each in _weighed(drawn, sample, [_unit(one, outcomes) for one in sample]) if each.is_judged]
    # Where nothing is judged there is no rate that could mislead, and the sentence says what waits.
    if judged:
        yield unrepresented(counts, [(each.stratum, each.chance) for each in judged])


def _without_rate(rate: ExclusionRate, lacking: Sequence[str]) -> ExclusionRate:
    return replace(rate, rate=NOTHING_DRAWN.rate, unrepresented=lacking[0]) if lacking else rate


def _weighed(drawn: Iterable[Row], sample: Sequence[Reviewed], units: Sequence[Row]) -> list[Weighed]:
    """Judged are those of which it is known whether evidence was excluded, or which the bounds allow for."""
    rows = {row["item_id"]: row for row in drawn}
    return [
        Weighed(
            rows[each.item_id]["stratum"],
            each.inclusion,
            rows[each.item_id]["recorded"],
            unit["is_excluded"] is not None or unit["unknown_because"] in _HIDES_EXCLUSIONS,
        )
        for each, unit in zip(sample, units, strict=True)
    ]


def exclusion_rate(
    drawn: Sequence[Row],
    outcomes: Mapping[str, Row],
    held: Mapping[str, float],
    *,
    level: float = 0.95,
    alpha: float = 0.001,
) -> ExclusionRate:
    """One series; drawn: rows of `reviews_between` with `recorded`, outcomes: of `relevance_outcomes_between` by item.

    held: how many retrievals each stratum holds.
    """
    sample = effective_sample(drawn)
    units = [_unit(each, outcomes) for each in sample]
    inclusion = fitted(_weighed(drawn, sample, units), held)
    judged, widened = _estimates(units, inclusion, _answers(units), level=level, alpha=alpha)
    return ExclusionRate(
        widened,
        drawn=len(drawn),
        waiting=sum(_is_waiting(row) for row in drawn),
        unknown=Counter(unit["unknown_because"] for unit in units if unit["unknown_because"] is not None),
        depths=_depths(units, is_filtered=True),
        unfiltered_depths=_depths(units, is_filtered=False),
        judged=judged,
    )


def _answers(units: Iterable[Row]) -> list[int]:
    """The answer of each unit, by number; what has no outcome is in no denominator, and stands alone."""
    numbers: dict[object, int] = {}
    named = ((unit.get("trace_id"), unit.get("answer_span_id")) for unit in units)
    return [numbers.setdefault(key if None not in key else object(), len(numbers)) for key in named]


def _estimates(
    units: Sequence[Row], inclusion: Sequence[float], answers: Sequence[int], *, level: float, alpha: float
) -> tuple[RateEstimate, RateEstimate]:
    """From what is known, and with bounds that allow for what is hidden."""
    rate = partial(hajek_rate, clusters=answers, level=level, alpha=alpha)
    counted = np.array([_number(unit["has_evidence"]) for unit in units])
    excluded = np.array([_number(unit["is_excluded"]) for unit in units])
    hidden = np.array([unit["unknown_because"] in _HIDES_EXCLUSIONS for unit in units], dtype=bool)
    known = rate(excluded, counted, inclusion)
    supposing = (rate(np.where(hidden, y, excluded), np.where(hidden, 1, counted), inclusion) for y in (0, 1))
    return known, _widened(known, *supposing)


def _unit(reviewed: Reviewed, outcomes: Mapping[str, Row]) -> Row:
    return outcomes.get(reviewed.item_id) or {
        "has_evidence": None,
        "is_excluded": None,
        "is_filtered": None,
        "depth": None,
        "unknown_because": NOT_LABELLED,
    }


def _is_waiting(row: Row) -> bool:
    return row["first_label"] is None and not row["is_skipped"] and not row["is_held"]


def _number(known: bool | None) -> float:
    return np.nan if known is None else float(known)


def _widened(known: RateEstimate, none_excluded: RateEstimate, all_excluded: RateEstimate) -> RateEstimate:
    """The estimate from what is known, with bounds that hold whatever the hidden units are."""
    if known.value is None:
        return known
    return replace(
        known,
        lower=_least(known.lower, none_excluded.lower),
        alarm_lower=_least(known.alarm_lower, none_excluded.alarm_lower),
        upper=max(known.upper or 0.0, all_excluded.upper or 0.0),
    )


def _decides(rate: RateEstimate, limit: float, *, alarm: bool) -> bool:
    lower = rate.alarm_lower if alarm else rate.lower
    return lower is not None and rate.upper is not None and (lower > limit or rate.upper <= limit)


def _least(*bounds: float | None) -> float:
    return min(bound for bound in bounds if bound is not None)


def _depths(units: Iterable[Row], *, is_filtered: bool) -> tuple[int, int] | None:
    known = [unit["depth"] for unit in units if unit["is_filtered"] is is_filtered and unit["depth"] is not None]
    return (min(known), max(known)) if known else None
