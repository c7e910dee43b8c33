import doctest
import hashlib
import hmac
import socket
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from ragvigil_monitor.errors import ConfigurationError
from ragvigil_monitor.guardrails.notifiers import webhook as module
from ragvigil_monitor.guardrails.notifiers.notifier import Notification, Outcome
from ragvigil_monitor.guardrails.notifiers.webhook import send
from ragvigil_monitor.settings import Settings

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
SECRET = "a secret of sixteen"
NOTIFICATION = Notification("d" * 32, '{"alert": "Länge ≠ Bytes"}'.encode(), attempt=1)
Send = Callable[..., Outcome]


@pytest.fixture
def send_to(receiver: Any) -> Send:
    """Sends one notification to the receiver, or to another address."""

    def once(url: str | None = None, timeout_s: float = 5.0) -> Outcome:
        hook = {"url": url or receiver.url, "secret": SECRET, "timeout_s": timeout_s}
        return send(Settings.load(notify={"webhook": hook}), NOTIFICATION, NOW)

    return once


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(module).failed == 0


def test_a_receiver_can_check_who_sent_what_and_when(receiver: Any, send_to: Send) -> None:
    assert send_to() == Outcome()
    ((path, headers, body),) = receiver.requests
    assert (path, body) == ("/hook", NOTIFICATION.body)
    assert headers["content-type"] == "application/json"
    assert headers["x-ragvigil-delivery"] == NOTIFICATION.delivery_id
    timestamp = headers["x-ragvigil-timestamp"]
    assert timestamp == str(int(NOW.timestamp()))
    expected = hmac.new(SECRET.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    assert headers["x-ragvigil-signature"] == f"v1={expected}"


@pytest.mark.parametrize("status", [200, 201, 202, 204, 299])
def test_any_2xx_is_delivered(receiver: Any, send_to: Send, status: int) -> None:
    receiver.statuses = [status]
    assert send_to().error is None


@pytest.mark.parametrize("status", [301, 302, 307, 400, 401, 404, 410, 429, 500, 503])
def test_any_other_status_is_an_error(receiver: Any, send_to: Send, status: int) -> None:
    receiver.statuses = [status]
    assert send_to() == Outcome(error=f"the receiver answered {status}")


def test_a_redirect_is_not_followed(receiver: Any, send_to: Send) -> None:
    receiver.statuses, receiver.headers = [307, 200], {"Location": receiver.url + "/elsewhere"}
    assert send_to().error == "the receiver answered 307"
    assert [path for path, _, _ in receiver.requests] == ["/hook"]


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        (format_datetime(NOW + timedelta(minutes=5), usegmt=True), 300.0),
        (format_datetime(NOW - timedelta(minutes=5), usegmt=True), 0.0),
        ("Mon, 01 Jun 2026 12:05:00 -0000", None),
        ("soon", None),
        ("-5", None),
        ("1e9", None),
        ("", None),
        ("9" * 400, float("inf")),
    ],
    ids=["seconds", "spaces", "date", "past date", "date without zone", "words", "negative", "float", "empty", "huge"],
)
def test_retry_after_is_read_in_both_its_forms(
    receiver: Any, send_to: Send, retry_after: str, seconds: float | None
) -> None:
    receiver.statuses, receiver.headers = [503], {"Retry-After": retry_after}
    assert send_to().retry_after_s == seconds


def test_a_receiver_that_hangs_costs_no_more_than_the_time_out(receiver: Any, send_to: Send) -> None:
    receiver.silent.set()
    assert send_to(timeout_s=0.2).error == "no answer within 0.2 s"


def test_a_receiver_that_is_not_there_is_an_error(send_to: Send) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        error = send_to(f"http://127.0.0.1:{taken.getsockname()[1]}/").error
    assert error is not None
    assert error.startswith("ConnectError")


@pytest.mark.parametrize("url", ["http://[", "http://127.0.0.1:99999/", "http://", "https://exa mple/"])
def test_an_address_that_cannot_be_is_an_error_and_not_an_exception(send_to: Send, url: str) -> None:
    assert send_to(url).error is not None


def test_a_receiver_that_speaks_no_http_is_an_error(send_to: Send) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.listen()
        url = f"http://127.0.0.1:{server.getsockname()[1]}/"
        assert send_to(url, timeout_s=0.2).error is not None


def test_sending_without_a_webhook_is_a_mistake_in_the_configuration() -> None:
    with pytest.raises(ConfigurationError, match=r"notify\.webhook"):
        send(Settings.load(), NOTIFICATION, NOW)
