"""Phoenix on the pages: links where a trace is there, a word where it is not, and what became of the spans."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.samples.servers import free_port, running_api, running_service
from tests.samples.stores import sample

from ragvigil_dashboards.client import Client, HttpApi
from ragvigil_dashboards.figures.alert_card import card
from ragvigil_dashboards.figures.answer_table import answer_table
from ragvigil_dashboards.figures.answer_view import facts
from ragvigil_dashboards.figures.phoenix_view import phoenix_facts, verdict_of
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.models import PhoenixState
from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.phoenix.share import is_in_share

BASE = "http://phoenix.example.org"
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def beside() -> Iterator[tuple[str, str]]:
    """Address and on-call key of a service that sends every second trace to a Phoenix that is down."""
    keys, now = Keys.generate(), datetime.now(UTC)
    phoenix = {"url": f"http://127.0.0.1:{free_port()}", "public_url": BASE, "share": 0.5}
    store = sample(now, days=1, per_day=40).store
    with running_service(store, keys, phoenix=phoenix) as service, running_api(service) as url:
        yield url, keys.by_role[Role.ONCALL]


@pytest.fixture
def client(beside: tuple[str, str]) -> Client:
    return Client(HttpApi(*beside))


def state(**values: Any) -> PhoenixState:
    nothing = {"forwarded": 0, "waiting": 0, "dropped": 0, "refused": 0, "failing_since": None, "error": None}
    said = {
        "delivered": 0,
        "waiting": 0,
        "given_up": 0,
        "not_forwarded": 0,
        "unreached_since": None,
        "last_error": None,
    }
    annotations = {**said, **values.pop("annotations", {})}
    return PhoenixState.model_validate({"url": BASE, "share": 0.1, **nothing, **values, "annotations": annotations})


def test_a_list_of_answers_links_to_those_that_are_in_phoenix(client: Client, reader: Reader) -> None:
    rows = client.answers(limit=40)
    shown = answer_table(rows, reader, None)
    for row in rows:
        link = f'href="{BASE}/redirects/traces/{row.trace_id}"'
        assert (link in shown) is is_in_share(bytes.fromhex(row.trace_id), 0.5)
    assert 5 < shown.count(BASE) < 35


def test_an_answer_links_to_phoenix_or_says_that_it_is_not_there(client: Client, reader: Reader) -> None:
    rows = client.answers(limit=40)
    there = next(row for row in rows if row.phoenix_url)
    elsewhere = next(row for row in rows if not row.phoenix_url)
    assert f'href="{BASE}/redirects/traces/{there.trace_id}"' in facts(client.answer(there.trace_id)[0], reader)
    assert "not forwarded (share 50 %)" in facts(client.answer(elsewhere.trace_id)[0], reader)


def test_without_phoenix_an_answer_says_nothing_of_it(live: Any, reader: Reader) -> None:
    client = Client(HttpApi(live.url, live.key))
    answer = client.answer(client.answers(limit=1)[0].trace_id)[0]
    assert "Phoenix" not in facts(answer, reader)
    assert client.phoenix() is None


def test_the_traces_of_an_alert_link_to_phoenix(client: Client, reader: Reader) -> None:
    status = client.status()
    alert = max(status.alerts, key=lambda each: len(each.evidence.trace_ids))
    shown = card(alert, reader, status.phoenix_urls)
    there = [trace_id for trace_id in alert.evidence.trace_ids if is_in_share(bytes.fromhex(trace_id), 0.5)]
    assert shown.count(f"{BASE}/redirects/traces/") == len(there)
    assert set(there) <= set(status.phoenix_urls)


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({}, "Nothing sent yet"),
        ({"forwarded": 5, "waiting": 2}, "Well"),
        ({"forwarded": 5, "dropped": 1}, "Losses"),
        ({"refused": 1}, "Losses"),
        ({"forwarded": 5, "failing_since": datetime(2026, 11, 30, tzinfo=UTC)}, "Not reached"),
        ({"forwarded": 5, "annotations": {"unreached_since": datetime(2026, 11, 30, tzinfo=UTC)}}, "Not reached"),
        ({"forwarded": 5, "annotations": {"given_up": 1}}, "Losses"),
    ],
)
def test_phoenix_has_a_verdict(values: dict[str, Any], word: str) -> None:
    assert verdict_of(state(**values)).word == word


def test_every_count_is_shown(reader: Reader) -> None:
    shown = phoenix_facts(state(forwarded=12_345, waiting=67, dropped=89, refused=1011), reader)
    for said in ("12,345", "67", "89", "1011", "10 %", f'href="{BASE}"'):
        assert said in shown
    assert "does not take" not in shown


def test_what_phoenix_said_last_is_shown_and_inert(reader: Reader) -> None:
    since = reader.now - timedelta(minutes=5)
    shown = phoenix_facts(state(failing_since=since, error=EVIL), reader)
    assert "It does not take the spans that it is sent, since " in shown
    assert "<img" not in shown


def test_annotations_are_counted_too(reader: Reader) -> None:
    said = {"delivered": 1012, "waiting": 13, "given_up": 14, "not_forwarded": 15, "last_error": EVIL}
    shown = phoenix_facts(state(annotations=said), reader)
    for number in ("1012", "13", "14", "15", "&lt;img"):
        assert number in shown
    failing = phoenix_facts(state(annotations={**said, "unreached_since": reader.now}), reader)
    assert "It does not take the annotations that it is sent, since " in failing


def test_the_page_shows_what_went_on(run_page: Any, beside: tuple[str, str]) -> None:
    url, key = beside
    app = run_page("completeness", url=url, key=key)
    page = "\n".join(element.proto.body for element in app.get("html"))
    assert not app.exception
    assert "What went on to Phoenix" in page
    assert "Nothing sent yet" in page
