"""The real service in a process, and a client that asks it what arrived."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx

from ragvigil_monitor.cli.processes import ServeProcess, start_serve
from ragvigil_monitor.keys import Role


@dataclass(frozen=True, slots=True)
class Monitor:
    """A running `ragvigil serve`, its file, and a client with the admin key."""

    serving: ServeProcess
    database: Path
    client: httpx.Client

    @property
    def url(self) -> str:
        """Where telemetry goes."""
        return self.serving.url

    def get(self, path: str, **parameters: Any) -> Any:
        """The JSON of a GET below /api/v1."""
        return self.client.get(path, params=parameters).raise_for_status().json()

    def post(self, path: str, body: dict[str, Any], *, role: Role = Role.ADMIN) -> Any:
        """The JSON of a POST below /api/v1, with the key of a role."""
        headers = {"Authorization": f"Bearer {self.serving.keys.by_role[role]}"}
        return self.client.post(path, json=body, headers=headers).raise_for_status().json()

    def only_answer(self) -> dict[str, Any]:
        """Everything about the one answer that is stored, or fail."""
        (row,) = self.get("/answers")
        (answer,) = self.get(f"/answers/{row['trace_id']}")
        return dict(answer)

    def outcomes(self) -> dict[str, int]:
        """What became of what was received, over all services."""
        return {row["outcome"]: row["items"] for row in self.get("/ingest")}

    def run_jobs(self, now: datetime | None = None) -> None:
        """Run every job that is due, now or at an earlier time."""
        self.post("/admin/run-due", {} if now is None else {"now": now.isoformat()})


@contextmanager
def running_monitor(database: Path, config: Path | None = None) -> Iterator[Monitor]:
    """A monitor of its own process, by the defaults or as `config` says."""
    serving = start_serve(config=config, db=database, port=0)
    try:
        headers = {"Authorization": f"Bearer {serving.keys.by_role[Role.ADMIN]}"}
        with httpx.Client(base_url=f"{serving.url}/api/v1", headers=headers, timeout=30) as client:
            yield Monitor(serving, database, client)
    finally:
        serving.stop()
