"""The Signals page of a service that really judged answers which went bad."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest
from tests.samples.answered import insert_answers
from tests.samples.fresh_stores import fresh_store
from tests.samples.servers import running_api, running_service

from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.keys import Keys, Role
from ragvigil_monitor.schedule import run_due

if TYPE_CHECKING:
    from tests.dashboards.conftest import RunPage

JOBS = ("judge_scores", "faithfulness")


@pytest.fixture
def judged() -> Iterator[tuple[str, str]]:
    """Address and on-call key."""
    now, keys, store = datetime.now(UTC).replace(minute=30), Keys.generate(), fresh_store()
    insert_answers(store, now - timedelta(hours=60), hours=30, carried=0.97)
    insert_answers(store, now - timedelta(hours=30), hours=27, carried=0.3, seed=4)
    with running_service(store, keys, lambda: now, judge={"share": 1.0}) as service:
        run_due(service, now, listed=lambda settings: [job for job in jobs(settings) if job.name in JOBS])
        with running_api(service) as url:
            yield url, keys.by_role[Role.ONCALL]


def words(app: AppTest) -> str:
    """What a page says, without its markup."""
    assert not app.exception
    return re.sub(r"<[^>]*>", "", " ".join(element.proto.body for element in app.get("html")))


def test_the_page_shows_scores_limit_and_how_far_the_judge_is_known(
    run_page: "RunPage", judged: tuple[str, str]
) -> None:
    url, key = judged
    app = run_page("signals", url=url, key=key, signal="faithfulness")
    page = words(app)
    assert "judge lexical 1" in page
    assert "100 % of 342 sampled answers scored in 28 days" in page
    assert "uncalibrated: 30 more answers in which reviewers find a fault needed" in page
    assert "limit 85 %" in page
    assert len(app.get("vega_lite_chart")) == 1


def test_the_overview_shows_the_alert_with_its_lower_limit(run_page: "RunPage", judged: tuple[str, str]) -> None:
    url, key = judged
    page = words(run_page("overview", url=url, key=key))
    assert "1 alert firing" in page
    assert "at the alarm level at most" in page
    assert "lower limit 85 %" in page
