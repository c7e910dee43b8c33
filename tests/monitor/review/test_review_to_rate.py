"""From traffic through the draw and the reviewers' queue to the rates, nothing written by hand."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.samples.relevance_reviews import RelevanceReviews

from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.review.false_exclusion import ExclusionRate, exclusion_rates
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.passages import opaque
from ragvigil_monitor.review.queue import lease_next
from ragvigil_monitor.review.relevance import label_relevance
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
OWN_JOBS = {"relevance_sampling", "relevance_outcomes"}
PROBED: dict[str, Any] = {"found": ["a", "b"], "probed": ["a", "b", "c"], "passes": [True, True, False]}


def add_traffic(service: Service) -> None:
    """Forty retrievals of two days: the evidence of each fourth filtered one is `c`, which its filter keeps out."""
    sent = RelevanceReviews()
    for number in range(40):
        started_at = NOW - timedelta(hours=3 + number)
        if number % 2:
            sent.add(started_at, ["a", "b"], intent="open")
        else:
            sent.add(started_at, **PROBED, intent="excluded" if number % 8 == 0 else "found", sampling_probability=0.5)
    sent.insert_traffic(service.store)


def run_own_jobs(service: Service) -> None:
    listed = [job for job in jobs(service.settings) if job.name in OWN_JOBS]
    run_due(service, NOW, listed=lambda _settings: listed)
    assert service.store.rows("job_problems_now") == []


def review_all(service: Service) -> int:
    """A reviewer who knows what is relevant: `c` where the intent says so, else `a`."""
    store, reviewed = service.store, 0
    intents = {
        row["trace_id"]: row["intent"]
        for row in store.rows("answers_newest", start=NOW - timedelta(days=4), end=NOW, intent=None, limit=99)
    }
    while (lease := _next(service)) is not None:
        item = store.rows("review_item_by_id", item_id=lease.item_id)[0]
        relevant = "c" if intents[item["trace_id"]] == "excluded" else "a"
        marked = [opaque(item["seed"], relevant)]
        label_id = str(uuid.uuid4())
        label_relevance(store, lease.item_id, lease.lease_id, "ada", marked, label_id=label_id, now=NOW)
        reviewed += 1
    return reviewed


def _next(service: Service) -> Any:
    return lease_next(service.store, service.settings.review, "ada", resume=False, now=NOW, kind=Kind.RELEVANCE)


def rates(service: Service) -> dict[str, ExclusionRate]:
    return exclusion_rates(service.store, NOW - timedelta(days=7), NOW, now=NOW)


def test_what_reviewers_mark_in_the_queue_becomes_both_rates(make_service: Any) -> None:
    service = make_service(NOW, review={"unfiltered_share": 1.0, "salt": "x" * 16})
    add_traffic(service)
    run_own_jobs(service)
    assert {series: rate.waiting for series, rate in rates(service).items()} == {"all": 40, "filtered": 20}
    assert review_all(service) == 40
    run_own_jobs(service)
    found = rates(service)
    assert (found["filtered"].rate.n, found["filtered"].rate.events, found["filtered"].rate.value) == (20, 5, 0.25)
    assert found["all"].rate.value == 5 / 40  # each filtered search happened to be probed
    assert (found["all"].waiting, found["all"].unknown, found["all"].depths) == (0, {}, (20, 20))
