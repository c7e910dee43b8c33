"""The service's own telemetry in the format of Prometheus, for whoever watches the watcher."""

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from fastapi import APIRouter, Depends, Response
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Gauge, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from ragvigil_monitor.api.auth import ServiceDep, require
from ragvigil_monitor.keys import Role
from ragvigil_monitor.service import Service
from ragvigil_monitor.store.disk import UNWRITABLE

_LOOKED_BACK = timedelta(days=7)
MOST_SERVICES: Final = 100
"""So many services have samples of their own: names come from senders, and each new one is a time series for ever."""
OTHER_SERVICES: Final = "other_services"
_MOST_LETTERS: Final = 200

logger = logging.getLogger(__name__)
router = APIRouter(tags=["service"], dependencies=[Depends(require(Role.ONCALL))])


@router.get("/metrics", response_class=Response)
def metrics(service: ServiceDep) -> Response:
    """What came in and what became of it, the store's size, and how the jobs do."""
    stored = CollectorRegistry(auto_describe=False)
    stored.register(_Stored(service))
    text = generate_latest(service.metrics.registry) + _readable(stored)
    return Response(text, media_type=CONTENT_TYPE_LATEST)


def _readable(stored: CollectorRegistry) -> bytes:
    """What the store knows, and whether it can be read: where it cannot, the rest is worth all the more."""
    told = CollectorRegistry()
    readable = Gauge("ragvigil_store_readable", "1 while the store answers questions, else 0.", registry=told)
    try:
        text = generate_latest(stored)
        readable.set(1)
    except Exception:  # whatever it is, it must not take the other metrics along
        logger.exception("The store cannot be read for /metrics.")
        text = b""
    return text + generate_latest(told)


class _Stored(Collector):
    """What the store knows; read anew for each scrape, so that it survives restarts."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def collect(self) -> Iterator[Metric]:
        """One family after the other."""
        yield self._received()
        yield from self._alerts()
        yield from self._jobs()
        yield from self._size()
        yield from self._disk(self._service.clock())

    def _received(self) -> Metric:
        family = CounterMetricFamily(
            "ragvigil_items_received",
            "Spans, log records and requests by what became of them; an outcome that begins with rejected_ is lost.",
            labels=["service", "outcome"],
        )
        limits = {"most_services": MOST_SERVICES, "most_letters": _MOST_LETTERS, "others": OTHER_SERVICES}
        for row in self._service.store.rows("ingest_totals_of_few", **limits):
            family.add_metric([row["service"], row["outcome"]], row["items"])
        return family

    def _alerts(self) -> Iterator[Metric]:
        family = GaugeMetricFamily(
            "ragvigil_alerts_open", "Alerts that are not resolved.", labels=["guardrail", "state"]
        )
        for row in self._service.store.rows("open_alerts_by_state"):
            family.add_metric([row["guardrail"], row["state"]], row["alerts"])
        yield family

    def _jobs(self) -> Iterator[Metric]:
        done = GaugeMetricFamily(
            "ragvigil_job_done_up_to_timestamp_seconds", "Up to when a job has judged the data.", labels=["job"]
        )
        for row in self._service.store.rows("job_watermarks_now"):
            done.add_metric([row["job"]], row["done_up_to"].timestamp())
        yield done
        failing = GaugeMetricFamily("ragvigil_job_failing", "1 while the last run of a job failed.", labels=["job"])
        for row in self._service.store.rows("job_problems_now"):
            failing.add_metric([row["job"]], 1)
        yield failing

    def _size(self) -> Iterator[Metric]:
        now = self._service.clock()
        found = self._service.store.row("newest_answer_time", counted_since=now, searched_since=now - _LOOKED_BACK)
        newest = found["last_answer_at"]
        if newest is not None:
            described = "When the newest answer of the last 7 days began."
            yield GaugeMetricFamily("ragvigil_newest_answer_timestamp_seconds", described, newest.timestamp())
        size = self._service.store.size_bytes()
        if size is not None:
            yield GaugeMetricFamily("ragvigil_store_size_bytes", "The database file and its log on disk.", size)

    def _disk(self, now: datetime) -> Iterator[Metric]:
        disk = self._service.store.disk
        is_writable = all(trouble.part != UNWRITABLE for trouble in disk.troubles(now))
        yield GaugeMetricFamily("ragvigil_store_writable", "1 while telemetry can be stored, else 0.", int(is_writable))
        free = disk.free_bytes()
        if free is not None:
            yield GaugeMetricFamily("ragvigil_store_free_bytes", "What is free on the disk of the database.", free)
