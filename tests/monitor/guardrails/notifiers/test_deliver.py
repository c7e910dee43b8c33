import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.api.models import Alert
from ragvigil_monitor.guardrails.alerts import silence
from ragvigil_monitor.guardrails.notifiers.deliver import MOST_AT_ONCE, attempted, deliver
from ragvigil_monitor.guardrails.notifiers.notifier import Notification, Outcome
from ragvigil_monitor.job import Turn
from ragvigil_monitor.retry_delay import delay_s
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
JudgeUntil = Callable[[Service, float], dict[str, int]]
Alerts = Callable[[], list[Alert]]


@pytest.fixture
def service(
    make_service: Callable[..., Service],
    hourly_settings: dict[str, Any],
    add_answers: Callable[..., None],
    receiver: Any,
) -> Service:
    """Answers are slow from hour 2 to hour 6, then fast for two days; a webhook is configured."""
    after_h = np.linspace(0, 54, 5400, endpoint=False)
    add_answers(after_h, np.where((after_h >= 2) & (after_h < 6), 5000.0, 100.0))
    hook = {"url": receiver.url, "secret": "a secret of sixteen", "timeout_s": 0.3, "max_attempts": 3}
    return make_service(**hourly_settings, notify={"webhook": hook})


def outbox(store: Store) -> dict[str, dict[str, Any]]:
    cursor = store._cursor().execute("SELECT * EXCLUDE (payload) FROM deliveries ORDER BY transition")
    names = [column[0] for column in cursor.description or []]
    rows = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
    return {row["transition"]: row for row in rows}


def told(receiver: Any) -> list[str]:
    return [json.loads(body)["transition"] for _, _, body in receiver.requests]


def test_people_hear_of_the_opening_and_of_the_end(
    service: Service, judge_until: JudgeUntil, receiver: Any, alerts: Alerts
) -> None:
    for hour in range(1, 55):
        judge_until(service, hour)
    assert told(receiver) == ["opened", "resolved"]
    opening = json.loads(receiver.requests[0][2])
    (alert,) = alerts()
    assert opening["alert"]["alert_id"] == alert.alert_id
    assert opening["alert"]["state"] == "firing"
    assert opening["alert"]["evidence"]["limit"] == 1500
    assert opening["delivery_id"] == receiver.requests[0][1]["x-ragvigil-delivery"]
    assert {row["state"] for row in outbox(service.store).values()} == {"delivered"}


def test_a_payload_is_the_alert_as_the_api_answers_it(service: Service, judge_until: JudgeUntil, receiver: Any) -> None:
    judge_until(service, 4)
    told = Alert.model_validate(json.loads(receiver.requests[0][2])["alert"])
    assert told.series == "answer"
    assert told.evidence.triage is not None
    assert told.evidence.triage.sentence.startswith("Drift suspected: nothing was seen for the first time from ")


def test_a_failed_attempt_is_repeated_later_under_the_same_id(
    service: Service, judge_until: JudgeUntil, receiver: Any
) -> None:
    receiver.statuses = [500, 200]
    judge_until(service, 4)
    waiting = outbox(service.store)["opened"]
    assert (waiting["state"], waiting["attempts"], waiting["last_error"]) == (
        "pending",
        1,
        "the receiver answered 500",
    )
    judge_until(service, 4)
    assert len(receiver.requests) == 1
    judge_until(service, 4.01)
    assert outbox(service.store)["opened"]["state"] == "delivered"
    assert len({headers["x-ragvigil-delivery"] for _, headers, _ in receiver.requests}) == 1


def test_after_the_last_attempt_it_is_given_up_and_says_why(
    service: Service, judge_until: JudgeUntil, receiver: Any
) -> None:
    receiver.statuses = [500]
    for hour in (4, 4.1, 4.2, 4.3):
        judge_until(service, hour)
    given_up = outbox(service.store)["opened"]
    assert (given_up["state"], given_up["attempts"], given_up["next_attempt_at"]) == ("given_up", 3, None)
    assert given_up["last_error"] == "the receiver answered 500"
    assert len(receiver.requests) == 3


def test_retry_after_is_honoured(service: Service, judge_until: JudgeUntil, receiver: Any, monday: datetime) -> None:
    receiver.statuses, receiver.headers = [429], {"Retry-After": "1800"}
    judge_until(service, 4)
    again_at = outbox(service.store)["opened"]["next_attempt_at"]
    assert again_at.replace(tzinfo=UTC) == monday + timedelta(hours=4.5)


def test_the_end_waits_for_the_opening(service: Service, judge_until: JudgeUntil, receiver: Any) -> None:
    receiver.statuses, receiver.headers = [429, 200], {"Retry-After": str(48 * 3600)}
    judge_until(service, 4)
    receiver.headers = {}
    judge_until(service, 27)
    judge_until(service, 54)
    assert told(receiver) == ["opened", "opened"]
    judge_until(service, 54)
    assert told(receiver) == ["opened", "opened", "resolved"]


def test_what_opened_and_ended_before_anybody_was_told_pages_nobody(
    service: Service, judge_until: JudgeUntil, receiver: Any
) -> None:
    judge_until(service, 54)
    assert receiver.requests == []
    assert {(row["state"], row["attempts"]) for row in outbox(service.store).values()} == {("withheld", 0)}
    assert "before anybody was told" in outbox(service.store)["opened"]["last_error"]


def test_what_is_still_firing_after_a_pause_is_told(service: Service, judge_until: JudgeUntil, receiver: Any) -> None:
    judge_until(service, 7)
    assert told(receiver) == ["opened"]


def test_the_end_of_what_nobody_could_be_told_is_withheld(
    service: Service, judge_until: JudgeUntil, receiver: Any
) -> None:
    receiver.statuses = [500]
    for hour in (4, 4.1, 4.2, 54, 54.1):
        judge_until(service, hour)
    assert [row["state"] for row in outbox(service.store).values()] == ["given_up", "withheld"]


def test_a_silenced_alert_is_quiet_until_then(
    service: Service, judge_until: JudgeUntil, receiver: Any, alerts: Alerts, monday: datetime
) -> None:
    judge_until(service, 4)
    silence(service.store, alerts()[0].alert_id, by="ada", until=monday + timedelta(hours=53), now=monday)
    judge_until(service, 50)
    assert told(receiver) == ["opened"]
    judge_until(service, 53)
    assert told(receiver) == ["opened", "resolved"]


def test_a_receiver_that_hangs_holds_no_transaction_and_stops_no_other_job(
    service: Service, judge_until: JudgeUntil, receiver: Any, monday: datetime
) -> None:
    receiver.silent.set()
    judging = threading.Thread(target=judge_until, args=(service, 4))
    judging.start()
    while not receiver.requests:
        judging.join(0.005)
        assert judging.is_alive()
    with service.store.transaction() as writer:
        writer.execute("add_marker", kind="release", service="shop", value="2", first_seen_at=monday)
    assert judging.is_alive()
    judging.join()
    assert outbox(service.store)["opened"]["last_error"] == "no answer within 0.3 s"
    assert service.store.rows("job_problems_now") == []


def test_a_receiver_that_is_down_costs_one_attempt_a_run(service: Service, receiver: Any, monday: datetime) -> None:
    receiver.statuses = [500]
    add_pending(service.store, 5, monday)
    deliver(service, Turn(monday, [monday], monday))
    assert len(receiver.requests) == 1


def test_a_full_outbox_is_sent_in_portions_oldest_first(service: Service, receiver: Any, monday: datetime) -> None:
    add_pending(service.store, MOST_AT_ONCE + 5, monday)
    write = deliver(service, Turn(monday, [monday], monday + timedelta(days=1)))
    assert write is not None
    with service.store.transaction() as writer:
        write(writer)
    assert [int(body) for _, _, body in receiver.requests] == list(range(MOST_AT_ONCE))
    deliver(service, Turn(monday, [monday], monday + timedelta(days=1)))
    assert len(receiver.requests) == MOST_AT_ONCE + 5


def add_pending(store: Store, number: int, at: datetime) -> None:
    with store.transaction() as writer:
        for place in range(number):
            alert_id = f"alert {place}"
            writer.execute(
                "upsert_alert",
                alert_id=alert_id,
                guardrail="latency_p95",
                series="answer",
                opened_at=at,
                last_breach_at=at,
                onset_at=None,
                onset_earliest=None,
                onset_latest=None,
                sentence="slow",
                evidence="{}",
            )
            writer.execute(
                "add_delivery",
                delivery_id=f"{place:032}",
                alert_id=alert_id,
                channel="webhook",
                transition="opened",
                payload=str(place),
                created_at=at + timedelta(seconds=place),
            )


def test_delays_double_up_to_an_hour_and_differ_between_deliveries() -> None:
    for attempts, base in [(1, 10), (2, 20), (5, 160), (10, 3600), (1000, 3600)]:
        delays = [delay_s(str(number), attempts) for number in range(200)]
        assert min(delays) >= 0.75 * base
        assert max(delays) <= 1.25 * base
        assert len(set(delays)) == 200
    assert delay_s("a", 3) == delay_s("a", 3)


@given(
    attempt=st.integers(1, 20),
    retry_after_s=st.none() | st.floats(0, allow_nan=False, allow_infinity=True),
    max_attempts=st.integers(1, 20),
)
def test_a_failed_attempt_is_either_repeated_within_a_day_or_given_up(
    attempt: int, retry_after_s: float | None, max_attempts: int
) -> None:
    found = attempted(Notification("id", b"", attempt), Outcome("no", retry_after_s), NOW, max_attempts)
    if attempt >= max_attempts:
        assert (found.state, found.next_attempt_at) == ("given_up", None)
    else:
        assert found.state == "pending"
        assert found.next_attempt_at is not None
        assert NOW < found.next_attempt_at <= NOW + timedelta(days=1)
