from random import Random

import pytest

from ragvigil_monitor.demo.reactions import AGAIN_WITH, AGAIN_WITHOUT, BY_BUTTON, LATE, Habits, Reaction, Thumb

USERS = 20_000


def reactions(habits: Habits, *, has_evidence: bool, seed: int = 1) -> list[Reaction]:
    rng = Random(seed)
    return [habits.react("how_to", has_evidence=has_evidence, rng=rng) for _ in range(USERS)]


def again_share(reacted: list[Reaction]) -> float:
    return sum(reaction.again_after_s is not None for reaction in reacted) / USERS


def thumbs(reacted: list[Reaction], kind: str) -> list[Thumb]:
    return [reaction.thumb for reaction in reacted if reaction.thumb and reaction.thumb.kind == kind]


@pytest.fixture(scope="module")
def with_evidence() -> list[Reaction]:
    return reactions(Habits(), has_evidence=True)


@pytest.fixture(scope="module")
def without() -> list[Reaction]:
    return reactions(Habits(), has_evidence=False)


def test_who_misses_the_evidence_asks_again_more_often(with_evidence: list[Reaction], without: list[Reaction]) -> None:
    assert again_share(with_evidence) == pytest.approx(AGAIN_WITH, abs=0.01)
    assert again_share(without) == pytest.approx(AGAIN_WITHOUT, abs=0.01)
    assert sum(reaction.by_button for reaction in without) / USERS == pytest.approx(BY_BUTTON, abs=0.015)


def test_thumbs_follow_the_evidence(with_evidence: list[Reaction], without: list[Reaction]) -> None:
    assert len(thumbs(with_evidence, "thumbs_up")) > 3 * len(thumbs(without, "thumbs_up"))
    assert len(thumbs(without, "thumbs_down")) > 10 * len(thumbs(with_evidence, "thumbs_down"))
    assert {thumb.reason for thumb in thumbs(with_evidence, "thumbs_up")} == {None}
    assert len({thumb.reason for thumb in thumbs(without, "thumbs_down")}) == 4


def test_thumbs_come_within_minutes_to_hours_and_some_reach_the_app_late(without: list[Reaction]) -> None:
    given = thumbs(without, "thumbs_down")
    assert all(0 < thumb.given_after_s <= 6 * 3600 for thumb in given)
    late = [thumb for thumb in given if thumb.taken_after_s > thumb.given_after_s]
    assert len(late) / len(given) == pytest.approx(LATE, abs=0.03)
    assert all(3600 <= thumb.taken_after_s - thumb.given_after_s <= 12 * 3600 for thumb in late)


def test_most_ask_again_within_the_half_hour_that_counts(without: list[Reaction]) -> None:
    waited = [reaction.again_after_s for reaction in without if reaction.again_after_s is not None]
    assert sum(after_s < 1800 for after_s in waited) / len(waited) > 0.99


def test_impatience_concerns_one_intent_and_adds_up() -> None:
    impatient = Habits().impatient("how_to", 2.0)
    assert again_share(reactions(impatient, has_evidence=True)) == pytest.approx(2 * AGAIN_WITH, abs=0.01)
    assert impatient.impatient("how_to", 1.5).again_factor == {"how_to": 3.0}
    other = [impatient.react("lookup", has_evidence=True, rng=Random(n)) for n in range(2000)]
    assert other == [Habits().react("lookup", has_evidence=True, rng=Random(n)) for n in range(2000)]


def test_an_incident_shifts_no_other_draw() -> None:
    usual, doubled = (reactions(habits, has_evidence=True) for habits in (Habits(), Habits().impatient("how_to", 2.0)))
    assert [reaction.thumb for reaction in usual] == [reaction.thumb for reaction in doubled]
