"""A sample behind the real API, and the client of the pages in front of it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from streamlit.testing.v1 import AppTest
from tests.samples.fresh_stores import fresh_store
from tests.samples.reviews import draw_reviews, reviewed_store
from tests.samples.searches import relevance_store
from tests.samples.servers import running_api, running_service
from tests.samples.stores import Sample, sample

from ragvigil_dashboards.client import Client, HttpApi
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.review_client import ReviewClient
from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.store import Store

RunPage = Callable[..., AppTest]
NEVER = datetime(2199, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Live:
    """Where the API is, the keys it knows, and what is behind it."""

    url: str
    keys: Keys
    sample: Sample

    @property
    def key(self) -> str:
        """The on-call key."""
        return self.keys.by_role[Role.ONCALL]


@pytest.fixture(scope="session")
def live() -> Iterator[Live]:
    """A sample that ends now, behind the API; for reading only."""
    made, keys = sample(datetime.now(UTC)), Keys.generate()
    with running_service(made.store, keys) as service, running_api(service) as url:
        yield Live(url, keys, made)


@pytest.fixture(scope="session")
def client(live: Live) -> Client:
    return Client(HttpApi(live.url, live.key))


@pytest.fixture(scope="session")
def empty_url() -> Iterator[tuple[str, str]]:
    """Address and on-call key of a service whose store holds nothing yet."""
    keys = Keys.generate()
    with running_service(fresh_store(), keys) as service, running_api(service) as url:
        yield url, keys.by_role[Role.ONCALL]


@pytest.fixture
def reader() -> Reader:
    """Somebody in Berlin, at night."""
    return Reader(datetime(2026, 11, 30, 2, 0, tzinfo=UTC), ZoneInfo("Europe/Berlin"))


@pytest.fixture
def run_page(live: Live, monkeypatch: pytest.MonkeyPatch) -> RunPage:
    """Runs one page as Streamlit would, by default against the sample: `run_page("overview", trace_id=...)`."""

    def run(page: str, *, url: str = live.url, key: str = live.key, **query: str) -> AppTest:
        monkeypatch.setenv("RAGVIGIL_API_URL", url)
        monkeypatch.setenv("RAGVIGIL_API_KEY", key)
        opened = ", st.write" if page == "answers" else ""
        script = (
            "import streamlit as st\n"
            f"from ragvigil_dashboards.oncall import {page}_page, session\n"
            f"{page}_page.draw(session.client(){opened})"
        )
        app = AppTest.from_string(script, default_timeout=30)
        for name, value in query.items():
            app.query_params[name] = value
        return app.run()

    return run


@dataclass(frozen=True, slots=True)
class Queue:
    """A service with drawn answers that nobody has labelled, and its keys."""

    url: str
    keys: Keys
    store: Store

    def client(self, reviewer: str) -> ReviewClient:
        """The queue as a reviewer sees it."""
        return ReviewClient(HttpApi(self.url, self.keys.by_role[Role.REVIEWER]), reviewer)

    def labels(self, kind: str = "answer") -> list[tuple[str, str]]:
        """Item and label of everything of a kind that was stored."""
        start = datetime(2020, 1, 1, tzinfo=UTC)
        rows = self.store.rows("reviews_between", kind=kind, start=start, end=NEVER, now=NEVER)
        return [(row["item_id"], row["first_label"]) for row in rows if row["first_label"] is not None]

    def skipped(self) -> int:
        """How many items were passed over."""
        rows = self.store.rows(
            "reviews_between", kind="answer", start=datetime(2020, 1, 1, tzinfo=UTC), end=NEVER, now=NEVER
        )
        return len({row["item_id"] for row in rows if row["is_skipped"]})


@pytest.fixture
def marking() -> Iterator[Queue]:
    """Six searches to be marked, nothing else."""
    keys, store = Keys.generate(), relevance_store(datetime.now(UTC), items=6)
    with running_service(store, keys) as service:
        draw_reviews(service)
        with running_api(service) as url:
            yield Queue(url, keys, store)
    store.close()


@pytest.fixture
def queue() -> Iterator[Queue]:
    """Twenty answers, all drawn, each with one stratum that counts."""
    keys, store = Keys.generate(), reviewed_store(datetime.now(UTC), answers=20, days=0.2)
    settings = {"uniform_share": 1.0, "low_confidence_share": 0.0, "thumbs_down_share": 0.0, "second_label_share": 0.0}
    with running_service(store, keys, review=settings) as service:
        draw_reviews(service)
        with running_api(service) as url:
            yield Queue(url, keys, store)
    store.close()
