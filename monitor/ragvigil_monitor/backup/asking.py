"""Ask a running service for a snapshot of its store, over HTTP."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Final

import httpx

from ragvigil_monitor.backup.files import FreeBytes, free_bytes, require_space
from ragvigil_monitor.errors import BackupFailed

PATH: Final = "/api/v1/admin/backup"
_TIMEOUT: Final = httpx.Timeout(30.0, read=3600.0)
"""The first byte comes when the service has made its copy."""

Progress = Callable[[int, int], None]
"""Told how many bytes have come, and of how many."""


@dataclass(frozen=True, slots=True, repr=False)
class Source:
    """A running service: its address and the admin key."""

    url: str
    key: str


def download(source: Source, partial: Path, progress: Progress, free: FreeBytes = free_bytes) -> None:
    """Write the snapshot of a service to `partial`; raises BackupFailed that says what to do."""
    headers = {"Authorization": f"Bearer {source.key}"}
    try:
        with (
            httpx.Client(base_url=source.url, timeout=_TIMEOUT, trust_env=False) as client,
            client.stream("POST", PATH, headers=headers) as answer,
        ):
            _refuse(source, answer)
            _receive(answer, partial, progress, free)
    except (httpx.HTTPError, httpx.InvalidURL) as failure:
        reason = f"{type(failure).__name__}: {failure}"
        raise BackupFailed(
            f"The backup did not come whole from {source.url} ({reason}); nothing was kept."
        ) from failure


def _refuse(source: Source, answer: httpx.Response) -> None:
    if answer.status_code == HTTPStatus.OK and "content-length" in answer.headers:
        return
    answer.read()
    try:
        said = str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        said = "it does not answer as Ragvigil does"
    raise BackupFailed(f"The service at {source.url} makes no backup: {answer.status_code}, {said}")


def _receive(answer: httpx.Response, partial: Path, progress: Progress, free: FreeBytes) -> None:
    expected = int(answer.headers["content-length"])
    require_space(partial.parent, expected, "The backup", free)
    partial.touch(mode=0o600)
    with partial.open("wb") as file:
        for chunk in answer.iter_bytes(2**20):
            file.write(chunk)
            progress(file.tell(), expected)
