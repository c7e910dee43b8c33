"""The monitor's HTTP API, as far as it is needed here."""

import http.client
import json
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from ragvigil.addresses import without_secrets
from ragvigil.attributes import SERVER_HEADER
from ragvigil.doctor.fetching import Fetched, explain, fetch
from ragvigil.doctor.finding import Finding, problem

NEEDS_KEY: Final = "set RAGVIGIL_API_KEY to the on-call key, or pass --key-file <database>.keys.json"
_TRACES_PATH: Final = "/v1/traces"


class RefusedError(Exception):
    """The API answered with something else than JSON and success; `finding` says what to do."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.detail)
        self.finding = finding


class MonitorApi:
    """The monitor's HTTP API, as far as it is needed; each call takes at most `timeout_s`.

    `shown` is its address as it may be printed.
    """

    def __init__(self, root: str, key: str | None, timeout_s: float) -> None:
        self._root = root.rstrip("/")
        self.shown = without_secrets(self._root)
        self._key = key
        self.timeout_s = timeout_s

    def get(self, path: str) -> Any:
        """The JSON at a path below /api/v1; raises RefusedError."""
        response = self._fetched(f"/api/v1{path}", {"Authorization": f"Bearer {self._key}"} if self._key else {})
        if response.status in {401, 403}:
            raise RefusedError(problem("monitor", f"refuses the API key (HTTP {response.status})", NEEDS_KEY))
        if response.status == 404:
            raise RefusedError(
                problem("monitor", "does not know this question", "upgrade the monitor; it is older than this")
            )
        if response.status != 200:
            raise RefusedError(
                problem("monitor", f"answers HTTP {response.status}", "look into the log of `ragvigil serve`")
            )
        try:
            return json.loads(response.body)
        except ValueError as failure:
            advice = "pass --api with the address of `ragvigil serve`"
            raise RefusedError(problem("monitor", "answers something else than JSON", advice)) from failure

    def is_ragvigil(self) -> bool:
        """Whether a monitor of ours answers there; raises RefusedError where nothing does. Shows it no key."""
        return SERVER_HEADER in self._fetched("/healthz", {}).headers

    def _fetched(self, path: str, headers: Mapping[str, str]) -> Fetched:
        try:
            return fetch(self._root + path, headers, self.timeout_s)
        except (OSError, http.client.HTTPException, ValueError) as failure:
            raise RefusedError(
                problem("monitor", f"{self.shown}: {explain(failure).detail}", explain(failure).advice)
            ) from None


def api_root(traces_url: str) -> str:
    """Where the API is when telemetry goes straight to the monitor."""
    parts = urlsplit(traces_url)
    path = parts.path.removesuffix(_TRACES_PATH)
    return parts._replace(path=path, query="", fragment="").geturl()


def mapping(said: object) -> dict[str, Any]:
    """An object of an answer; empty for anything else."""
    return said if isinstance(said, dict) else {}


def rows(said: object) -> list[dict[str, Any]]:
    """The objects of a list; empty for anything else."""
    return [row for row in said if isinstance(row, dict)] if isinstance(said, list) else []


def number(row: dict[str, Any], name: str) -> int:
    """A count; 0 where there is none."""
    value = row.get(name)
    return value if isinstance(value, int) else 0
