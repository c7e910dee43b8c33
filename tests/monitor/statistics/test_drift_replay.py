from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ragvigil_monitor.statistics.drift_replay import fit_scale, replay
from ragvigil_monitor.statistics.gumbel_limit import GumbelLimit
from ragvigil_monitor.statistics.mix_statistic import mix_statistics
from ragvigil_monitor.statistics.season_reference import SeasonReference, single_query_covariance
from ragvigil_monitor.statistics.vector_windows import HourlySums, trailing_windows

START = 4 * 24
FITTED_H = 168 * 4
MakeTraffic = Callable[..., Any]


def over_limits(traffic: Any, *, weekly: float) -> dict[str, NDArray[np.bool_]]:
    """For every hour after the fourth week: is each statistic above its limit?"""
    known = traffic.hourly.within(START, START + FITTED_H)
    reference = SeasonReference.fit(known)
    covariance = single_query_covariance(traffic.second_moment, known.counts.sum(), reference.mean)
    maxima = replay(known, covariance, start=START, weeks=4)
    scale = fit_scale(known, reference, covariance, np.arange(START + 24, START + FITTED_H + 1))
    ends = np.arange(START + FITTED_H + 1, traffic.hourly.hours[-1] + 2)
    windows = trailing_windows(traffic.hourly, ends, length_h=24)
    novelty = scale.statistics(reference.residuals(windows), windows.counts)
    limits = [GumbelLimit.fit(maxima.mix), GumbelLimit.fit(maxima.novelty)]
    assert None not in limits
    mix_limit, novelty_limit = (limit.at(weekly / 7) for limit in limits if limit is not None)
    return {"mix": mix_statistics(windows, reference) > mix_limit, "novelty": novelty > novelty_limit}


def episodes(over: NDArray[np.bool_]) -> int:
    """Alarms, where one lasts until the statistic was below its limit for 24 hours."""
    hours = np.flatnonzero(over)
    return 0 if len(hours) == 0 else 1 + int(np.count_nonzero(np.diff(hours) > 24))


@pytest.mark.slow
def test_quiet_traffic_raises_about_the_false_alarms_that_were_asked_for(traffic: MakeTraffic) -> None:
    """Half a false alarm a week wanted for each: measured over 12 × 8 weeks, mix .2 to .3 and novelty .1 to .2."""
    found = [over_limits(traffic(seed, weeks=12), weekly=0.5) for seed in range(12)]
    weeks = 8 * len(found)
    assert sum(episodes(each["mix"]) for each in found) / weeks <= 0.6
    assert sum(episodes(each["novelty"]) for each in found) / weeks <= 0.5


@pytest.mark.slow
def test_a_new_topic_with_a_tenth_of_the_traffic_is_found_within_a_day(traffic: MakeTraffic) -> None:
    new_h = FITTED_H + 7 * 24
    found = [
        over_limits(traffic(seed, weeks=7, new_from_h=new_h, new_share=0.1), weekly=0.1)["novelty"]
        for seed in range(12)
    ]
    delays = [int(np.argmax(over[new_h - FITTED_H :])) for over in found if over[new_h - FITTED_H :].any()]
    assert len(delays) == 12
    assert np.median(delays) <= 14
    assert max(delays) <= 24


def test_the_first_day_has_no_full_window_and_all_others_are_judged(traffic: MakeTraffic) -> None:
    quiet = traffic(1, weeks=4)
    maxima = replay(quiet.hourly, np.eye(24), start=START, weeks=4)
    assert (len(maxima.mix), len(maxima.novelty)) == (28, 28)
    assert np.flatnonzero(np.isnan(maxima.mix)).tolist() == [0]


def test_a_week_is_judged_without_knowing_it(traffic: MakeTraffic) -> None:
    """A week about something else stands out only if neither reference nor scale has learnt from it."""
    quiet = traffic(2, weeks=4)
    odd_h = slice(168, 336)
    quiet.hourly.sums[odd_h] += 0.5 * quiet.hourly.counts[odd_h, None]
    maxima = replay(quiet.hourly, np.eye(24) / 24, start=START, weeks=4)
    for values in (maxima.mix, maxima.novelty):
        assert np.median(values[8:14]) > 5 * np.nanmedian(values[15:])


def test_days_with_too_few_vectors_are_not_judged(traffic: MakeTraffic) -> None:
    quiet = traffic(3, weeks=4)
    silent = quiet.hourly.without(START + 240, START + 290)
    maxima = replay(silent, np.eye(24), start=START, weeks=4)
    assert np.flatnonzero(np.isnan(maxima.mix)).tolist() == [0, 11]


def test_a_history_with_traffic_in_one_week_only_cannot_be_judged(traffic: MakeTraffic) -> None:
    """But for the windows that reach from the week after into its last day."""
    one_week = traffic(4, weeks=4).hourly.within(START + 168, START + 336)
    maxima = replay(one_week, np.eye(24), start=START, weeks=4)
    assert np.flatnonzero(np.isfinite(maxima.mix)).tolist() == [14]
    assert GumbelLimit.fit(maxima.mix) is None


def test_no_history_at_all_judges_nothing() -> None:
    nothing = HourlySums(np.empty(0, dtype=np.int64), np.empty(0), np.empty((0, 3)), np.empty(0))
    assert np.isnan(replay(nothing, np.eye(3), start=START, weeks=2).novelty).all()
