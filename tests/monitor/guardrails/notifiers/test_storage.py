"""People are told that nothing can be stored, although nothing can be stored."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ragvigil_monitor.guardrails.notifiers.storage import StorageNotices
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store.disk import Trouble

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)
FULL = Trouble("store", NOW, "no room")
LOW = Trouble("disk space", NOW, "little room")


@pytest.fixture
def notices(receiver: Any) -> StorageNotices:
    hook = {"url": receiver.url, "secret": "a secret of sixteen", "timeout_s": 5, "max_attempts": 3}
    return StorageNotices(Settings.load(notify={"webhook": hook}))


def told(receiver: Any) -> list[tuple[str, str]]:
    bodies = [json.loads(body) for _, _, body in receiver.requests]
    return [(body["problem"]["part"], body["transition"]) for body in bodies]


def test_the_beginning_and_the_end_are_told_once(notices: StorageNotices, receiver: Any) -> None:
    for troubles in ([], [LOW], [LOW], [FULL], [FULL], []):
        notices.tell(troubles, NOW)
    assert told(receiver) == [
        ("disk space", "opened"),
        ("disk space", "resolved"),
        ("store", "opened"),
        ("store", "resolved"),
    ]


def test_what_is_sent_is_signed_and_says_what_is_wrong(notices: StorageNotices, receiver: Any) -> None:
    notices.tell([FULL], NOW)
    ((_, headers, body),) = receiver.requests
    sent = json.loads(body)
    assert sent["problem"] == {"part": "store", "since": NOW.isoformat(), "detail": "no room"}
    assert headers["x-ragvigil-delivery"] == sent["delivery_id"]
    assert headers["x-ragvigil-signature"].startswith("v1=")


def test_what_is_not_taken_is_tried_again_later_under_the_same_id(notices: StorageNotices, receiver: Any) -> None:
    receiver.statuses = [500, 200]
    for after_s in (0, 1, 60, 120):
        notices.tell([FULL], NOW + timedelta(seconds=after_s))
    ids = {headers["x-ragvigil-delivery"] for _, headers, _ in receiver.requests}
    assert (len(receiver.requests), len(ids)) == (2, 1)


def test_a_receiver_that_never_takes_it_is_given_up(notices: StorageNotices, receiver: Any) -> None:
    receiver.statuses = [500]
    for after_h in range(10):
        notices.tell([FULL], NOW + timedelta(hours=after_h))
    assert len(receiver.requests) == 3


def test_what_waits_is_bounded(notices: StorageNotices, receiver: Any) -> None:
    receiver.statuses = [500]
    for number in range(50):
        notices.tell([FULL] if number % 2 else [], NOW)
    assert len(notices._waiting) <= 20


def test_without_a_channel_only_the_log_is_told(caplog: pytest.LogCaptureFixture) -> None:
    StorageNotices(Settings.load()).tell([FULL], NOW)
    assert "no room" in caplog.text
