import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.api.models import State
from ragvigil_monitor.guardrails.rule import deciding_window, judge, judge_below
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate

LIMIT = 300.0


def estimate(
    value: float | None, lower: float | None, upper: float | None, alarm_lower: float | None, n: int = 354
) -> IntervalEstimate:
    return IntervalEstimate(value, lower, upper, alarm_lower, n, missing=0, needed=72)


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (estimate(612, 580, 655, 540), State.BREACH),
        (estimate(310, 302, 320, 299), State.INCONCLUSIVE),
        (estimate(310, 302, 320, 300), State.INCONCLUSIVE),
        (estimate(290, 280, 301, 270), State.INCONCLUSIVE),
        (estimate(290, 280, 300, 270), State.OK),
        (estimate(200, None, None, None, n=20), State.NO_POWER),
        (estimate(900, None, None, 800, n=5), State.BREACH),
        (estimate(None, None, None, None, n=0), State.NO_DATA),
    ],
    ids=[
        "alarm bound above",
        "only the interval above",
        "alarm bound at the limit",
        "limit inside",
        "upper end at the limit",
        "no upper end",
        "few, but all far above",
        "nothing",
    ],
)
def test_a_state_says_exactly_what_the_bounds_say(found: IntervalEstimate, state: State) -> None:
    assert judge(found, LIMIT, answered_before=True) is state


def test_before_the_first_answer_nothing_is_missing() -> None:
    assert judge(estimate(None, None, None, None, n=0), LIMIT, answered_before=False) is State.WARMING_UP


def test_without_a_limit_nothing_is_judged() -> None:
    assert judge(estimate(612, 580, 655, 540), None, answered_before=True) is State.UNGUARDED


@given(
    bounds=st.lists(st.floats(0, 1000), min_size=4, max_size=4).map(sorted),
    limit=st.floats(0, 1000),
)
def test_breach_and_ok_exclude_each_other_and_follow_from_the_bounds(bounds: list[float], limit: float) -> None:
    alarm_lower, lower, value, upper = bounds
    state = judge(estimate(value, lower, upper, alarm_lower), limit, answered_before=True)
    assert (state is State.BREACH) == (alarm_lower > limit)
    assert (state is State.OK) == (upper <= limit)


@given(
    bounds=st.lists(st.floats(0, 1), min_size=4, max_size=4).map(sorted),
    limit=st.floats(0, 1),
)
def test_below_a_lower_limit_the_other_side_decides(bounds: list[float], limit: float) -> None:
    lower, value, upper, alarm_upper = bounds
    found = IntervalEstimate(value, lower, upper, None, 354, missing=0, needed=30, alarm_upper=alarm_upper)
    state = judge_below(found, limit, answered_before=True)
    assert (state is State.BREACH) == (alarm_upper < limit)
    assert (state is State.OK) == (lower >= limit and alarm_upper >= limit)


@pytest.mark.parametrize(
    ("found", "state"),
    [
        (IntervalEstimate(0.9, None, None, None, 20, missing=0, needed=30), State.NO_POWER),
        (IntervalEstimate(None, None, None, None, 0, missing=9, needed=30), State.NO_DATA),
        (IntervalEstimate(0.2, None, None, None, 20, missing=0, needed=30, alarm_upper=0.5), State.BREACH),
    ],
    ids=["too few", "nothing", "few, but all far below"],
)
def test_below_a_lower_limit_the_other_states_are_the_same(found: IntervalEstimate, state: State) -> None:
    assert judge_below(found, 0.85, answered_before=True) is state


@pytest.mark.parametrize(
    ("states", "deciding"),
    [
        ({3600: State.OK, 86400: State.INCONCLUSIVE}, 86400),
        ({3600: State.NO_POWER, 86400: State.OK}, 86400),
        ({3600: State.OK, 86400: State.BREACH}, 86400),
        ({3600: State.BREACH, 86400: State.OK}, 3600),
        ({3600: State.BREACH, 86400: State.BREACH}, 3600),
    ],
)
def test_the_shortest_window_in_breach_speaks_else_the_longest(states: dict[int, State], deciding: int) -> None:
    assert deciding_window(states) == deciding
