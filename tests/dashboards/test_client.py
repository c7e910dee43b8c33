"""The API as typed calls, and each failure as one sentence."""

import http.server
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from tests.samples.conclusions import COST_ALERT, OLD_ALERT, SLOW_ALERT
from tests.samples.servers import free_port, running_api, running_service
from tests.samples.stores import sample

from ragvigil_dashboards.client import Client, ClientError, HttpApi
from ragvigil_monitor.keys import Keys, Role

Serve = Callable[..., AbstractContextManager[str]]


@contextmanager
def canned(status: int, body: bytes, *, delay: threading.Event | None = None) -> Iterator[str]:
    """A server that gives every request the same answer."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if delay is not None:
                delay.wait(10)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            """Stay silent."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        if delay is not None:
            delay.set()
        server.shutdown()
        thread.join()


def failure(url: str, *, timeout_s: float = 5.0) -> ClientError:
    with pytest.raises(ClientError) as caught:
        Client(HttpApi(url, "key", timeout_s=timeout_s)).status()
    return caught.value


def test_every_question_is_answered_typed(client: Client) -> None:
    status = client.status()
    now = status.now
    assert {alert.alert_id for alert in status.alerts} == {SLOW_ALERT, COST_ALERT}
    assert [alert.alert_id for alert in client.alerts(state="resolved", limit=5)] == [OLD_ALERT]
    assert [info.signal for info in client.signals()] == ["cost_per_query", "latency_p95"]
    points = client.points("latency_p95", window_s=3600, start=now - timedelta(days=2), end=now)
    assert {series.series for series in points} == {"answer", "embed", "generate", "rerank", "retrieve"}
    assert [release.service_version for release in client.releases()] == ["1.5.0", "1.4.2"]
    assert [process.dropped for process in client.completeness()] == [12]
    assert {count.outcome for count in client.ingest()} >= {"spans_committed", "rejected_bad_id"}
    rows = client.answers(order="slowest", stage=None, limit=3)
    assert len(rows) == 3
    assert client.answer(rows[0].trace_id)[0].trace_id == rows[0].trace_id


def test_acting_on_an_alert_changes_it() -> None:
    keys, made = Keys.generate(), sample(datetime.now(UTC), days=1, per_day=20)
    with running_service(made.store, keys) as service, running_api(service) as url:
        client = Client(HttpApi(url, keys.by_role[Role.ONCALL]))
        client.acknowledge(SLOW_ALERT, by="Ada", note="looking")
        assert [alert.acknowledged_by for alert in client.status().alerts] == ["Ada", "Mina"]
        client.silence(SLOW_ALERT, by="Ada", until=datetime.now(UTC) + timedelta(hours=1))
        assert client.status().alerts[0].state == "silenced"


def test_nobody_there_says_how_to_start_the_service() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    assert str(failure(url)) == f"Nothing answers at {url}. Start `ragvigil serve`, or give its address with --api."


@pytest.mark.parametrize("url", ["", "nonsense", "http://", "http://[::1", "ftp://x", "http://ex ample"])
def test_an_address_that_is_none_is_said_as_such(url: str) -> None:
    assert str(failure(url)).startswith(f"Nothing answers at {url.rstrip('/')}")


def test_a_wrong_key_is_refused_with_what_to_do(live_url: str) -> None:
    refused = failure(live_url)
    assert refused.status == 401
    assert "refused the key. Give the right key with --key-file." in str(refused)


@pytest.fixture
def live_url(request: pytest.FixtureRequest) -> str:
    url: str = request.getfixturevalue("live").url
    return url


def test_another_roles_key_is_refused(request: pytest.FixtureRequest) -> None:
    live = request.getfixturevalue("live")
    with pytest.raises(ClientError) as caught:
        Client(HttpApi(live.url, live.keys.by_role[Role.REVIEWER])).status()
    assert caught.value.status == 403


def test_a_slow_service_is_said_to_be_slow() -> None:
    with canned(200, b"{}", delay=threading.Event()) as url:
        assert "did not answer in time" in str(failure(url, timeout_s=0.2))


@pytest.mark.parametrize(
    "body", [b"{}", b"not json", b"", b"[1]", b"\xff\xfe"], ids=["empty", "text", "nothing", "list", "bytes"]
)
def test_another_version_is_named_with_the_field_that_differs(body: bytes) -> None:
    with canned(200, body) as url:
        sentence = str(failure(url))
    assert "The service answers /status in a form that this page does not know" in sentence
    assert sentence.endswith("Install the same version of Ragvigil on both sides.")


def test_a_failing_service_points_to_its_log() -> None:
    with canned(500, b"<html>") as url:
        assert str(failure(url)) == f"The service at {url} failed (500). Its log says why."


def test_something_else_at_the_address_is_suspected() -> None:
    with canned(404, b"<html>nginx") as url:
        assert str(failure(url)) == f"The service at {url} answered 404; is it Ragvigil?"


def test_the_services_own_words_are_passed_on(client: Client) -> None:
    with pytest.raises(ClientError, match=r"^There is no answer with trace id 0{32}") as caught:
        client.answer("0" * 32)
    assert caught.value.status == 404


@pytest.mark.parametrize("name", ["a/../../status", "a?b=c#d", "é %", ".."])
def test_names_cannot_change_the_path(client: Client, name: str) -> None:
    with pytest.raises(ClientError) as caught:
        client.points(name, window_s=3600, start=datetime(2026, 1, 1, tzinfo=UTC), end=datetime(2026, 1, 2, tzinfo=UTC))
    assert caught.value.status == 404
