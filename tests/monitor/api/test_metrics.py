"""`/metrics`: what the service says of itself, read as Prometheus reads it."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample
from tests.samples.otlp import NOW, PROTOBUF, rag_trace, span, traces
from tests.samples.servers import running_api, wait_until

from ragvigil_monitor.api.metrics import MOST_SERVICES, OTHER_SERVICES
from ragvigil_monitor.errors import StoreUnavailable
from ragvigil_monitor.job import Job, Turn
from ragvigil_monitor.keys import Role
from ragvigil_monitor.own_metrics import OwnMetrics
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store
from ragvigil_monitor.telemetry_tables import INGEST_COUNTS, to_arrow


def scraped(service: Service, url: str) -> list[Sample]:
    """All samples of one scrape."""
    key = service.keys.by_role[Role.ONCALL]
    answer = httpx.get(f"{url}/metrics", headers={"Authorization": f"Bearer {key}"}).raise_for_status()
    assert answer.headers["content-type"].startswith("text/plain; version=")
    return [sample for family in text_string_to_metric_families(answer.text) for sample in family.samples]


def values(samples: list[Sample], name: str) -> dict[tuple[str, ...], float]:
    """The samples of one name by their labels."""
    return {tuple(sorted(sample.labels.values())): sample.value for sample in samples if sample.name == name}


def received(service: Service, url: str) -> dict[tuple[str, ...], float]:
    """What became of what was sent, by service and outcome."""
    return values(scraped(service, url), "ragvigil_items_received_total")


def test_what_became_of_everything_received_is_counted(make_service: Any) -> None:
    service = make_service(NOW)
    with running_api(service) as url:
        for body in (traces(*rag_trace(0)), traces(*rag_trace(0)), traces(span(trace_id=b"short"))):
            httpx.post(f"{url}/v1/traces", content=body.SerializeToString(), headers=PROTOBUF).raise_for_status()
        httpx.post(f"{url}/v1/traces", content=b"\xff", headers=PROTOBUF)
        # A refusal is answered before it is counted.
        wait_until(lambda: ("rejected_request_400", "unknown_service") in received(service, url))
        found = received(service, url)
    assert found == {
        ("shop", "spans_committed"): 6,
        ("shop", "spans_duplicate"): 6,
        ("rejected_bad_id", "shop"): 1,
        ("rejected_request_400", "unknown_service"): 1,
    }


def received_by_service(service: Service, url: str) -> dict[str, float]:
    found = scraped(service, url)
    samples = [sample for sample in found if sample.name == "ragvigil_items_received_total"]
    assert len({tuple(sorted(sample.labels.items())) for sample in samples}) == len(samples)
    return {sample.labels["service"]: sample.value for sample in samples}


def count(store: Store, *services: str, after_h: int = 0) -> None:
    rows = [[service, "spans_committed", 1] for service in services]
    with store.transaction() as writer:
        batch = to_arrow(INGEST_COUNTS, rows)
        writer.execute_with("add_ingest_counts", batch, received_at=NOW + timedelta(hours=after_h))


def test_names_that_senders_make_up_cost_no_more_than_so_many_series(make_service: Any, memory_store: Store) -> None:
    service = make_service(NOW)
    count(
        memory_store, "shop", 'quoted "\\ and\nbroken\r', *(f"made-up-{number}" for number in range(MOST_SERVICES - 2))
    )
    with running_api(service) as url:
        before = received_by_service(service, url)
        for hour in range(1, 4):
            count(memory_store, *(f"a-{hour}-{number}" for number in range(500)), after_h=hour)
            count(memory_store, "shop", after_h=hour)
            after = received_by_service(service, url)
            assert after.pop(OTHER_SERVICES) == 500 * hour
            assert after == {**before, "shop": 1 + hour}
    assert len(before) == MOST_SERVICES


def test_names_that_are_alike_for_long_are_one_series(make_service: Any, memory_store: Store) -> None:
    service = make_service(NOW)
    count(memory_store, "x" * 5000 + "1", "x" * 5000 + "2")
    with running_api(service) as url:
        assert received_by_service(service, url) == {"x" * 200: 2}


def test_what_the_process_knows_is_told_when_the_store_cannot_be_read(
    make_service: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = make_service(NOW)
    with running_api(service) as url:
        assert values(scraped(service, url), "ragvigil_store_readable") == {(): 1}

        def failing(*_: object, **__: object) -> None:
            raise StoreUnavailable("The database is closed.")

        monkeypatch.setattr(service.store, "rows", failing)
        samples = scraped(service, url)
    assert values(samples, "ragvigil_store_readable") == {(): 0}
    assert values(samples, "ragvigil_requests_inside") == {(): 0}


def test_no_counter_falls_while_requests_come(make_service: Any) -> None:
    service = make_service(NOW)
    before: dict[tuple[str, str], float] = {}
    with running_api(service) as url:
        for number in range(5):
            for body in (traces(*rag_trace(number)).SerializeToString(), b"\xff"):
                httpx.post(f"{url}/v1/traces", content=body, headers=PROTOBUF)
            counters = ("_total", "_count", "_bucket", "_sum")
            samples = [each for each in scraped(service, url) if each.name.endswith(counters)]
            now = {(each.name, str(sorted(each.labels.items()))): each.value for each in samples}
            assert before.keys() <= now.keys()
            assert all(now[key] >= value for key, value in before.items())
            before = now


def test_a_job_has_no_failures_before_it_fails(make_service: Any) -> None:
    service = make_service(NOW)
    run_due(service, NOW, listed=lambda _settings: [Job("fine", 60, lambda *_: None)])
    assert service.metrics.registry.get_sample_value("ragvigil_job_failures_total", {"job": "fine"}) == 0


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_service_that_sends_requests_away_lives_and_is_not_ready(
    make_service: Any, memory_store: Store, method: str
) -> None:
    service = make_service(NOW, server={"max_waiting_requests": 1})
    body = traces(*rag_trace(0)).SerializeToString()
    with running_api(service) as url, ThreadPoolExecutor(1) as pool:
        assert httpx.request(method, f"{url}/readyz").status_code == 200
        with memory_store.transaction():
            waiting = pool.submit(httpx.post, f"{url}/v1/traces", content=body, headers=PROTOBUF, timeout=30)
            wait_until(lambda: service.metrics.registry.get_sample_value("ragvigil_requests_inside") == 1)
            assert httpx.request(method, f"{url}/readyz").status_code == 503
            assert httpx.request(method, f"{url}/healthz").status_code == 200
        assert waiting.result().status_code == 200
        wait_until(lambda: httpx.request(method, f"{url}/readyz").status_code == 200)


def test_the_newest_answer_is_told_and_absent_where_there_is_none(make_service: Any) -> None:
    service = make_service(NOW)
    with running_api(service) as url:
        assert values(scraped(service, url), "ragvigil_newest_answer_timestamp_seconds") == {}
        body = traces(*rag_trace(0)).SerializeToString()
        httpx.post(f"{url}/v1/traces", content=body, headers=PROTOBUF).raise_for_status()
        (newest,) = values(scraped(service, url), "ragvigil_newest_answer_timestamp_seconds").values()
    assert abs(newest - NOW.timestamp()) < timedelta(minutes=5).total_seconds()


def test_a_job_that_fails_is_counted_timed_and_shown_until_it_runs_again(make_service: Any) -> None:
    service, outcomes = make_service(NOW), iter([True, True, False])

    def run(_service: Service, _turn: Turn) -> None:
        if next(outcomes):
            raise RuntimeError("no")

    def jobs(_settings: object) -> list[Job]:
        return [Job("fragile", 0, run)]

    with running_api(service) as url:
        for failures, failing in [(1, {("fragile",): 1.0}), (2, {("fragile",): 1.0}), (2, {})]:
            run_due(service, NOW, listed=jobs)
            samples = scraped(service, url)
            assert values(samples, "ragvigil_job_failures_total") == {("fragile",): failures}
            assert values(samples, "ragvigil_job_failing") == failing
    assert values(samples, "ragvigil_job_duration_seconds_count") == {("fragile",): 3}


def test_what_jobs_are_done_up_to_is_told(make_service: Any) -> None:
    service = make_service(NOW)
    run_due(service, NOW, listed=lambda _settings: [Job("tidy", 0, lambda _service, _turn: lambda _writer: None)])
    with running_api(service) as url:
        done = values(scraped(service, url), "ragvigil_job_done_up_to_timestamp_seconds")
    assert done == {("tidy",): NOW.timestamp()}


def test_open_alerts_are_counted(make_service: Any, memory_store: Store) -> None:
    service = make_service(NOW)
    with memory_store.transaction() as writer:
        for number in ("1", "2", "3"):
            alert = {"alert_id": number, "guardrail": "latency_p95", "series": number, "sentence": "It is slow."}
            times = {"opened_at": NOW, "last_breach_at": NOW, "evidence": "{}"}
            onset = dict.fromkeys(["onset_at", "onset_earliest", "onset_latest"])
            writer.execute("upsert_alert", **alert, **times, **onset)
        writer.execute("acknowledge_alert", alert_id="3", now=NOW, by="ada", note=None)
    with running_api(service) as url:
        alerts = values(scraped(service, url), "ragvigil_alerts_open")
    assert alerts == {("firing", "latency_p95"): 2, ("acknowledged", "latency_p95"): 1}


def test_commits_are_timed_and_the_file_is_measured(tmp_path: Path, make_service: Any) -> None:
    store, metrics = Store.open(tmp_path / "monitor.duckdb"), OwnMetrics()
    with Committer(store, clock=lambda: NOW, observe_s=metrics.commit_s.observe) as committer:
        made: Service = make_service(NOW)
        service = Service(store, made.settings, made.keys, committer, lambda: NOW, metrics=metrics)
        with running_api(service) as url:
            body = traces(*rag_trace(0)).SerializeToString()
            httpx.post(f"{url}/v1/traces", content=body, headers=PROTOBUF).raise_for_status()
            samples = scraped(service, url)
    store.close()
    assert values(samples, "ragvigil_commit_duration_seconds_count") == {(): 1}
    (size,) = values(samples, "ragvigil_store_size_bytes").values()
    assert size >= 2**12


def test_how_late_spans_arrive_is_told(make_service: Any) -> None:
    service = make_service(NOW)
    with running_api(service) as url:
        for minutes in (0.05, 20):
            body = traces(*rag_trace(0, started_at=NOW - timedelta(minutes=minutes))).SerializeToString()
            httpx.post(f"{url}/v1/traces", content=body, headers=PROTOBUF).raise_for_status()
        lag = values(scraped(service, url), "ragvigil_arrival_lag_seconds_bucket")
    assert (lag[("5.0",)], lag[("900.0",)], lag[("3600.0",)], lag[("+Inf",)]) == (1, 1, 2, 2)


def test_what_is_inside_and_what_was_sent_away_is_told(make_service: Any, memory_store: Store) -> None:
    service = make_service(NOW, server={"max_waiting_requests": 1})
    body = traces(*rag_trace(0)).SerializeToString()
    with running_api(service) as url, ThreadPoolExecutor(1) as pool:
        with memory_store.transaction():
            waiting = pool.submit(httpx.post, f"{url}/v1/traces", content=body, headers=PROTOBUF, timeout=30)
            wait_until(lambda: service.metrics.registry.get_sample_value("ragvigil_requests_inside") == 1)
            assert httpx.post(f"{url}/v1/traces", content=body, headers=PROTOBUF).status_code == 503
            assert service.metrics.registry.get_sample_value("ragvigil_request_bytes_inside") == len(body)
        assert waiting.result().status_code == 200
        samples = scraped(service, url)
    assert values(samples, "ragvigil_requests_overloaded_total") == {(): 1}
    assert values(samples, "ragvigil_requests_inside") == values(samples, "ragvigil_request_bytes_inside") == {(): 0}


@pytest.mark.parametrize("role", [None, Role.REVIEWER, Role.INGEST])
def test_it_needs_the_key_of_oncall(make_service: Any, role: Role | None) -> None:
    service = make_service(NOW)
    headers = {} if role is None else {"Authorization": f"Bearer {service.keys.by_role[role]}"}
    with running_api(service) as url:
        assert httpx.get(f"{url}/metrics", headers=headers).status_code == (401 if role is None else 403)
