from dataclasses import replace

import numpy as np
import pytest

from ragvigil_monitor.drift.evidence import compare
from ragvigil_monitor.drift.sample import Sample

HOURS = np.arange(4 * 24, 4 * 24 + 168)


def queries(count: int, *, new: int = 0, seed: int = 0, intents: tuple[str | None, ...] = ("a", "b")) -> Sample:
    """`count` queries over a week about the intents in turn, of which the last `new` ones are about something else."""
    rng = np.random.default_rng(seed)
    topics = np.random.default_rng(5).normal(size=(len(intents) + 1, 16))
    topic = np.arange(count) % len(intents)
    topic[count - new :] = len(intents)
    vectors = topics[topic] + rng.normal(0, 0.7, (count, 16))
    return Sample(
        vectors / np.linalg.norm(vectors, axis=1)[:, None],
        rng.choice(HOURS, count),
        np.array([f"{seed}-{place}" for place in range(count)], dtype=object),
        np.array([*intents, "new"], dtype=object)[topic],
    )


def test_a_new_topic_is_found_named_and_shown_by_its_queries() -> None:
    found = compare(queries(2_000), queries(300, new=60, seed=1))
    assert found is not None
    assert found.p == 1 / 1_001
    assert found.approximate_p is not None
    assert found.approximate_p < 1e-3
    assert 0.52 < found.auc < 0.75
    first = found.slices[0]
    assert (first.value, first.n, first.excess) == ("new", 60, 60.0)
    assert first.contribution > 0.5 * found.mmd2
    assert set(found.trace_ids) <= {f"1-{place}" for place in range(240, 300)}
    assert len(found.trace_ids) == 10


def test_the_contributions_of_all_slices_add_up_to_the_statistic() -> None:
    found = compare(queries(1_000), queries(200, new=50, seed=1))
    assert found is not None
    assert sum(each.contribution for each in found.slices) == pytest.approx(found.mmd2, abs=1e-12)


def test_the_same_traffic_is_not_told_apart() -> None:
    found = compare(queries(1_500), queries(300, seed=2))
    assert found is not None
    assert found.p > 0.01
    assert 0.4 < found.auc < 0.6
    assert (found.duplicate_share, found.deduplicated_p) == (0.0, None)


def test_a_slice_that_disappeared_has_a_negative_excess() -> None:
    found = compare(queries(1_500), queries(300, seed=3, intents=("a",)))
    assert found is not None
    gone = next(each for each in found.slices if each.value == "b")
    assert gone.n == 0
    assert gone.excess == pytest.approx(-150, abs=15)
    assert gone.contribution > 0


def test_only_hours_of_the_same_season_are_compared() -> None:
    """Weekends are about something else; a Monday is compared with weekdays only."""
    week, weekend = queries(2_000), queries(1_000, new=1_000, seed=4)
    weekdays = replace(week, hours=4 * 24 + np.arange(2_000) % 120)
    weekends = replace(weekend, hours=4 * 24 + 120 + np.arange(1_000) % 48)
    both = Sample(
        np.concatenate([weekdays.unit, weekends.unit]),
        np.concatenate([weekdays.hours, weekends.hours]),
        np.concatenate([weekdays.trace_ids, weekends.trace_ids]),
        np.concatenate([weekdays.intents, weekends.intents]),
    )
    monday = replace(queries(240, seed=5), hours=4 * 24 + np.arange(240) % 24)
    found = compare(both, monday)
    assert found is not None
    assert found.p > 0.01


def test_queries_without_an_intent_belong_to_no_slice() -> None:
    found = compare(queries(1_000, intents=(None,)), queries(200, seed=6, intents=(None,)))
    assert found is not None
    assert found.slices == []


def test_many_copies_are_reported_and_tested_without_them() -> None:
    window = queries(300, seed=7)
    copied = window.at(np.concatenate([np.arange(100), np.arange(100), np.arange(100)]))
    found = compare(queries(1_500), copied)
    assert found is not None
    assert found.duplicate_share == pytest.approx(2 / 3)
    assert found.deduplicated_p is not None
    assert found.deduplicated_p > 0.01


def test_too_few_different_queries_have_no_p_without_copies() -> None:
    found = compare(queries(4_000), queries(10, seed=8).at(np.arange(60) % 10))
    assert found is not None
    assert found.deduplicated_p is None


@pytest.mark.parametrize(("n", "m"), [(150, 300), (1_000, 49), (0, 300), (1_000, 0)])
def test_too_few_queries_on_a_side_are_not_compared(n: int, m: int) -> None:
    assert compare(queries(n), queries(m, seed=9)) is None
