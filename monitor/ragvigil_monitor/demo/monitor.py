"""The running service as the demo uses it: over HTTP, like anyone else."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Self

import httpx
from pydantic import TypeAdapter

from ragvigil_monitor.api.exclusion_models import FalseExclusionRates, Losses
from ragvigil_monitor.api.models import Alert, IngestCount, Ran
from ragvigil_monitor.demo.responses import checked
from ragvigil_monitor.errors import MonitorError
from ragvigil_monitor.keys import Keys, Role

ALERTS = TypeAdapter(list[Alert])
INGEST_COUNTS = TypeAdapter(list[IngestCount])
MOST_ALERTS = 500
"""As many as the service lists; a run that raises more has failed anyhow."""


class Monitor:
    """A client of `ragvigil serve` with the key of its administrator."""

    def __init__(self, url: str, http: httpx.Client) -> None:
        self.url = url
        self._http = http

    @classmethod
    @contextmanager
    def at(cls, url: str, keys: Keys, *, timeout_s: float = 300.0) -> Iterator[Self]:
        """A client of the service at `url`; a day of jobs may take as long as `timeout_s`."""
        authorization = {"Authorization": f"Bearer {keys.by_role[Role.ADMIN]}"}
        with httpx.Client(base_url=url, headers=authorization, timeout=timeout_s, trust_env=False) as http:
            yield cls(url, http)

    def run_due(self, now: datetime) -> Ran:
        """Do everything that was due up to `now`."""
        answer = self._http.post("/api/v1/admin/run-due", json={"now": now.isoformat()})
        return Ran.model_validate_json(checked(answer).content)

    def alerts(self) -> list[Alert]:
        """Every alert so far; MonitorError when there are more than can be listed."""
        alerts = ALERTS.validate_json(self._get("/api/v1/alerts", limit=MOST_ALERTS))
        if len(alerts) == MOST_ALERTS:
            raise MonitorError(f"The service raised {MOST_ALERTS} alerts or more: something is wrong with its limits.")
        return alerts

    def false_exclusion(self, level: float) -> FalseExclusionRates:
        """How often filters kept all evidence out, in the last 28 days."""
        return FalseExclusionRates.model_validate_json(self._get("/api/v1/review/false-exclusion", level=level))

    def losses(self) -> Losses:
        """At which stage reviewed queries lost their evidence, in the last 28 days."""
        return Losses.model_validate_json(self._get("/api/v1/review/losses"))

    def spans_stored(self, service: str) -> int:
        """How many spans of a service were committed to the store."""
        counts = INGEST_COUNTS.validate_json(self._get("/api/v1/ingest"))
        return sum(count.items for count in counts if (count.service, count.outcome) == (service, "spans_committed"))

    def _get(self, path: str, **parameters: Any) -> bytes:
        return checked(self._http.get(path, params=parameters)).content
