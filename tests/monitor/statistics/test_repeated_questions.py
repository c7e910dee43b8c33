"""The band keeps its budget where some users ask again and again, because a question counts once."""

import pytest
from tests.simulations.repeated_questions import ALPHA, alarms, counted

SEEDS = (1, 2)
STUBBORN_SHARE = 0.01


@pytest.mark.slow
def test_stubborn_users_raise_no_more_alarms_than_the_budget_allows() -> None:
    """0.75 a week are allowed, 7 in the ten weeks of these seeds; by answers the same users raise many more."""
    by_question, by_answer = (
        sum(alarms(counted(seed, stubborn_share=STUBBORN_SHARE, by_question=way), ALPHA) for seed in SEEDS)
        for way in (True, False)
    )
    assert by_question <= 7
    assert by_answer > 7
