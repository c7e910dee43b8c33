from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from ragvigil_monitor.signals.faithfulness import FAITHFULNESS
from ragvigil_monitor.signals.signal import Look
from ragvigil_monitor.store import Store

Looks = Callable[..., Look]
AddScores = Callable[..., None]


@pytest.fixture
def add_scores(memory_store: Store, monday: datetime) -> AddScores:
    """Adds scores of answers that started evenly in the first day; NaN: unscorable."""

    def add(scores: Any, *, in_sample: bool = True) -> None:
        moments = [monday + timedelta(hours=24 * place / len(scores)) for place in range(len(scores))]
        naive = pa.array([moment.replace(tzinfo=None) for moment in moments], pa.timestamp("us"))
        columns = {
            "trace_id": [place.to_bytes(16) for place in range(len(scores))],
            "answer_span_id": [b"answer00"] * len(scores),
            "started_at": naive,
            "judge": ["lexical"] * len(scores),
            "judge_version": ["1"] * len(scores),
            "score": pa.array(np.asarray(scores, dtype=np.float64), from_pandas=True),
            "reason": [None if score == score else "no_claim" for score in scores],
            "in_sample": [in_sample] * len(scores),
            "judged_at": naive,
        }
        with memory_store.transaction() as writer:
            writer.execute_with("add_judge_scores", pa.table(columns))

    return add


def test_it_is_the_mean_of_the_sample(add_scores: AddScores, look: Looks) -> None:
    add_scores([1.0, 0.5] * 120)
    found = FAITHFULNESS.estimate(look())["all"]
    assert (found.value, found.n, found.missing, found.alarm_lower) == (0.75, 240, 0, None)
    assert found.upper is not None
    assert found.alarm_upper is not None
    assert 0.75 < found.upper < found.alarm_upper < 0.85


def test_an_unscorable_answer_is_missing_and_neither_good_nor_bad(add_scores: AddScores, look: Looks) -> None:
    add_scores([0.5, 0.5, np.nan] * 20)
    found = FAITHFULNESS.estimate(look())["all"]
    assert (found.value, found.n, found.missing) == (0.5, 40, 20)


def test_answers_judged_for_their_reviewers_are_no_part_of_it(add_scores: AddScores, look: Looks) -> None:
    add_scores([1.0] * 40)
    add_scores([0.0] * 40, in_sample=False)
    found = FAITHFULNESS.estimate(look())["all"]
    assert (found.value, found.n) == (1.0, 40)


def test_only_the_window_counts(add_scores: AddScores, look: Looks) -> None:
    add_scores([0.0] * 12 + [1.0] * 12)
    assert FAITHFULNESS.estimate(look(24, 12))["all"].value == 1.0
    assert FAITHFULNESS.estimate(look(48, 24)) == {}
