"""The evidence page and the reviewed part of an answer, run as Streamlit runs them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest
from streamlit.testing.v1 import AppTest
from tests.samples.evidence import add_evidence
from tests.samples.fresh_stores import fresh_store
from tests.samples.servers import running_api, running_service

from ragvigil_dashboards.client import Client, HttpApi
from ragvigil_monitor.keys import Keys, Role

RunPage = Callable[..., AppTest]


@dataclass(frozen=True, slots=True)
class Reviewed:
    """A service with reviewed retrievals, and a client with its on-call key."""

    url: str
    key: str
    client: Client


@pytest.fixture(scope="module")
def reviewed() -> Iterator[Reviewed]:
    keys, store = Keys.generate(), fresh_store()
    with running_service(store, keys) as service:
        add_evidence(service, datetime.now(UTC), days=12, per_day=16)
        with running_api(service) as url:
            key = keys.by_role[Role.ONCALL]
            yield Reviewed(url, key, Client(HttpApi(url, key)))
    store.close()


def shown(app: AppTest) -> str:
    assert not app.exception
    return "\n".join(element.proto.body for element in app.get("html"))


def test_the_page_shows_both_rates_and_the_stages_that_lose_evidence(run_page: RunPage, reviewed: Reviewed) -> None:
    page = shown(run_page("evidence", url=reviewed.url, key=reviewed.key))
    losses = reviewed.client.losses(days=28)
    lost = sum(each.n for each in losses.stages if each.stage != "kept")
    assert f"{lost} of {losses.n} reviewed retrievals with evidence lost it" in page
    for rate in reviewed.client.false_exclusion(days=28).rates:
        assert rate.value is not None
        assert f"{100 * rate.value:.3g} %" in page
    assert "2 % (starting value)" in page
    assert page.index("Breach") < page.index("Which stage loses the evidence, last 28 d")
    assert "intent = policy" in page
    assert "the probe says nothing of the metadata" in page


def test_another_window_is_chosen_by_the_address(run_page: RunPage, reviewed: Reviewed) -> None:
    page = shown(run_page("evidence", url=reviewed.url, key=reviewed.key, days="7"))
    losses = reviewed.client.losses(days=7)
    assert 0 < losses.n < reviewed.client.losses(days=28).n
    assert f"of {losses.n} reviewed retrievals" in page


def test_without_reviews_the_page_says_what_to_do(run_page: RunPage, empty_url: tuple[str, str]) -> None:
    page = shown(run_page("evidence", url=empty_url[0], key=empty_url[1]))
    assert "No reviewed evidence" in page
    assert page.count("unknown") >= 4
    assert "No data" in page


def test_a_reviewed_answer_says_at_which_stage_its_evidence_was_lost(run_page: RunPage, reviewed: Reviewed) -> None:
    start = datetime.now(UTC) - timedelta(days=12)
    answers = reviewed.client.answers(start=start.isoformat(), limit=100)
    found = {each.trace_id: reviewed.client.evidence(each.trace_id) for each in answers}
    at_filter = next(trace_id for trace_id, own in found.items() if own and own[0].lost_at == "filter")
    page = shown(run_page("answer", url=reviewed.url, key=reviewed.key, trace_id=at_filter))
    assert "Evidence lost at: filter (the relevance clauses keep it out)." in page
    assert "rückgabe-017" in page
    assert "only by the search without relevance clauses" in page
