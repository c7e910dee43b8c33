"""The draw: known probabilities, independent strata, decided once."""

import hashlib
import hmac
import math
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.fresh_stores import fresh_store
from tests.samples.reviews import add_exchange, insert_events, reviewed_store, thumbs_down
from tests.samples.servers import running_service
from tests.samples.traffic import Traffic

from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.review.salt import Salt
from ragvigil_monitor.review.sampling import POLICY_VERSION, inclusion_probability, memberships
from ragvigil_monitor.review.strata import Hour, uniform_share
from ragvigil_monitor.settings import Review
from ragvigil_monitor.store import Store

if TYPE_CHECKING:
    from tests.monitor.review.conftest import Draw, MakeDesk, Table

SALT = Salt.from_text("a salt that only the owner knows")


def answer(number: int) -> tuple[bytes, bytes]:
    return number.to_bytes(16), b"answer00"


def test_the_hash_is_the_documented_one() -> None:
    (drawn,) = memberships(SALT, answer(7), {"uniform": 0.25})
    message = b"\0".join([b"uniform", POLICY_VERSION.encode(), *answer(7)])
    u = int.from_bytes(hmac.new(SALT.key, message, hashlib.sha256).digest()[:8]) / 2**64
    assert drawn.priority == u / 0.25


def test_the_share_that_is_taken_is_the_probability() -> None:
    """20,000 answers, three standard errors."""
    draws = [memberships(SALT, answer(n), {"a": 0.02, "b": 0.5}) for n in range(20_000)]
    taken = np.array([[each.priority < 1 for each in draw] for draw in draws])
    assert abs(taken[:, 0].mean() - 0.02) < 3 * math.sqrt(0.02 * 0.98 / 20_000)
    assert abs(taken[:, 1].mean() - 0.5) < 3 * math.sqrt(0.25 / 20_000)
    assert abs(taken.any(axis=1).mean() - inclusion_probability({"a": 0.02, "b": 0.5}, 1.0)) < 0.011
    first, second = taken.T - taken.mean(axis=0)[:, np.newaxis]
    assert abs((first * second).mean()) < 3 * math.sqrt(0.02 * 0.98 * 0.25 / 20_000)


def test_two_answers_of_one_trace_are_drawn_independently() -> None:
    pairs = [(n.to_bytes(16), span) for n in range(4000) for span in (b"1", b"2")]
    u = np.array([memberships(SALT, pair, {"uniform": 1.0})[0].priority for pair in pairs]).reshape(-1, 2)
    assert abs(float(np.corrcoef(u.T).ravel()[1])) < 0.05


def test_another_salt_draws_other_answers() -> None:
    other = Salt.from_text("another salt")
    both = [[memberships(salt, answer(n), {"uniform": 1.0})[0].priority for n in range(3000)] for salt in (SALT, other)]
    assert abs(float(np.corrcoef(both).ravel()[1])) < 0.06
    assert SALT.version != other.version
    assert SALT.key.hex() not in SALT.version


@given(st.dictionaries(st.text(max_size=5), st.floats(1e-6, 1.0), min_size=1, max_size=4), st.floats(0.01, 1.0))
def test_more_strata_never_make_an_answer_less_likely(shares: dict[str, float], recorded: float) -> None:
    found = inclusion_probability(shares, recorded)
    assert 0 < found <= recorded
    assert found >= recorded * max(shares.values()) * (1 - 1e-9)


def hour_with(weekly: float) -> Hour:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    return Hour(now, now, now, weekly)


@pytest.mark.parametrize(
    ("weekly", "expected"),
    [(0, 1.0), (20, 1.0), (640, (50 + 2 * math.sqrt(50)) / 640), (10_000, 0.02), (1e9, 0.02)],
    ids=["none", "few", "hundreds", "many", "very many"],
)
def test_low_traffic_raises_the_uniform_share(weekly: float, expected: float) -> None:
    assert uniform_share(Review(), hour_with(weekly)) == pytest.approx(expected)


@pytest.mark.parametrize("per_day", [10, 40, 200])
def test_a_week_holds_at_least_fifty_uniform_reviews_or_all_answers(
    make_desk: "MakeDesk", table: "Table", draw: "Draw", per_day: int
) -> None:
    store = reviewed_store(now := make_desk().now, answers=per_day * 7, days=7)
    draw(store, now, uniform_share=0.02)
    (found,) = table(
        store, "SELECT sum(frame) AS frame, sum(taken) AS taken FROM review_rounds WHERE stratum = 'uniform'"
    )
    assert found["frame"] >= per_day * 7 - 2
    assert min(50, found["frame"]) <= found["taken"] <= 110


def test_every_decision_is_stored_with_its_probabilities(make_desk: "MakeDesk", table: "Table", draw: "Draw") -> None:
    desk = make_desk(
        answers=80, thumbs_down_share=0.5, low_confidence_share=0.25, uniform_share=0.1, minimum_per_week=0
    )
    items = {row["item_id"]: row for row in table(desk.store, "SELECT * FROM review_items")}
    frames = table(desk.store, "SELECT * FROM review_frames")
    for item_id, item in items.items():
        own = {row["stratum"]: row for row in frames if row["item_id"] == item_id}
        assert "uniform" in own
        assert min(row["priority"] for row in own.values()) < 1
        missed = math.prod(1 - row["probability"] for row in own.values())
        assert item["inclusion_probability"] == pytest.approx(1 - missed)
        assert item["policy_version"] == POLICY_VERSION
        assert item["salt_version"] == Salt.from_text("x" * 16).version
    rounds = table(
        desk.store,
        "SELECT stratum, sum(frame) AS frame, sum(taken) AS taken FROM review_rounds "
        "WHERE stratum IN ('uniform', 'low_confidence', 'thumbs_down') GROUP BY stratum",
    )
    assert {row["stratum"]: row["frame"] for row in rounds} == {"uniform": 80, "low_confidence": 27, "thumbs_down": 8}
    for row in rounds:
        assert row["taken"] == sum(f["stratum"] == row["stratum"] and f["priority"] < 1 for f in frames)


def test_an_answer_recorded_with_a_probability_is_drawn_with_that_much_less(
    make_desk: "MakeDesk", table: "Table", draw: "Draw"
) -> None:
    now = make_desk().now
    sent, store = Traffic(slow_from=now), fresh_store()
    started = now - timedelta(hours=30)
    add_exchange(sent, np.random.default_rng(1), started, "q", "a", [], sampling_probability=0.25)
    sent.insert(store)
    draw(store, now)
    (item,) = table(store, "SELECT inclusion_probability FROM review_items")
    assert item["inclusion_probability"] == 0.25


def test_a_second_run_decides_nothing_anew(make_desk: "MakeDesk", table: "Table", draw: "Draw") -> None:
    desk = make_desk()
    before = table(desk.store, "SELECT * FROM review_frames ORDER BY ALL")
    draw(desk.store, desk.now + timedelta(hours=3))
    after = table(desk.store, "SELECT * FROM review_frames ORDER BY ALL")
    assert [row for row in after if row in before] == before


def test_a_replay_from_nothing_draws_the_same(make_desk: "MakeDesk", table: "Table", draw: "Draw") -> None:
    first, second = make_desk(), make_desk()
    everything = "SELECT * FROM review_items ORDER BY item_id"
    assert table(first.store, everything) == table(second.store, everything)


def test_hours_that_are_caught_up_one_by_one_give_the_same_draw(
    make_desk: "MakeDesk", table: "Table", draw: "Draw"
) -> None:
    at_once = make_desk(answers=30)
    store = reviewed_store(at_once.now, answers=30, days=1.0)
    for hours in range(100, -1, -20):
        now = at_once.now - timedelta(hours=hours)
        draw(store, now, **at_once.settings.model_dump())
    everything = "SELECT * FROM review_frames ORDER BY ALL"
    assert table(store, everything) == table(at_once.store, everything)


def test_young_answers_are_not_drawn_yet(make_desk: "MakeDesk", table: "Table", draw: "Draw") -> None:
    desk = make_desk(matures_h=40)
    (youngest,) = table(desk.store, "SELECT max(started_at) AS started_at FROM review_items")
    assert desk.now.replace(tzinfo=None) - youngest["started_at"] >= timedelta(hours=40)


@pytest.mark.parametrize(
    ("event", "counts"),
    [
        ({}, True),
        ({"hours_later": 23.0}, True),
        ({"hours_later": 60.0}, False),
        ({"ragvigil.feedback.kind": "thumbs_up"}, False),
    ],
    ids=["soon", "next day", "after the decision", "thumbs up"],
)
def test_a_thumbs_down_counts_when_it_came_before_the_decision(
    make_desk: "MakeDesk", table: "Table", draw: "Draw", event: dict[str, Any], counts: bool
) -> None:
    now, store = make_desk().now, fresh_store()
    sent = Traffic(slow_from=now)
    add_exchange(sent, np.random.default_rng(1), now - timedelta(hours=30), "q", "a", [])
    sent.insert(store)
    insert_events(store, [thumbs_down(sent.answers[0], **event)])
    draw(store, now)
    strata = {row["stratum"] for row in table(store, "SELECT stratum FROM review_frames")}
    assert strata == ({"uniform", "thumbs_down"} if counts else {"uniform"})


def test_feedback_that_names_only_the_answer_id_is_found(make_desk: "MakeDesk", table: "Table", draw: "Draw") -> None:
    now, store = make_desk().now, fresh_store()
    sent = Traffic(slow_from=now)
    add_exchange(sent, np.random.default_rng(1), now - timedelta(hours=30), "q", "a", [])
    sent.insert(store)
    event = thumbs_down(sent.answers[0], **{"ragvigil.answer.id": sent.answers[0]["answer_id"]})
    insert_events(store, [{**event, "trace_id": None, "span_id": None}] * 2)
    draw(store, now)
    assert "thumbs_down" in {row["stratum"] for row in table(store, "SELECT stratum FROM review_frames")}


def test_an_empty_store_has_nothing_to_draw(make_desk: "MakeDesk", table: "Table", draw: "Draw") -> None:
    now, store = make_desk().now, fresh_store()
    draw(store, now)
    assert table(store, "SELECT * FROM review_items") == []


def test_without_a_setting_the_salt_comes_from_the_admin_key_and_differs_from_it(memory_store: Store) -> None:
    keys = Keys.generate()
    with running_service(memory_store, keys) as service:
        salt = Salt.of(service)
    assert salt == Salt.from_text(keys.by_role[Role.ADMIN])
    assert salt.key != keys.by_role[Role.ADMIN].encode()
    assert keys.by_role[Role.REVIEWER] not in repr(salt)
    assert salt.key.hex() not in repr(salt)


def test_a_salt_in_the_settings_is_used_and_not_shown(memory_store: Store) -> None:
    given = "sixteen letters and more"
    with running_service(memory_store, Keys.generate(), review={"salt": given}) as service:
        assert Salt.of(service) == Salt.from_text(given)
        assert given not in repr(service.settings)
