"""Which end the arguments of a command mean."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ragvigil_monitor.errors import ConfigurationError, StoreLocked, TransferFailed
from ragvigil_monitor.keys import Keys, Role, keys_path
from ragvigil_monitor.service import utc_now
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store
from ragvigil_monitor.transfer.ends import End, LocalEnd
from ragvigil_monitor.transfer.remote import RemoteEnd

KEY_NAME: Final = "RAGVIGIL_API_KEY"
_EVERYWHERE: Final = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - not listened on here


@dataclass(frozen=True, slots=True)
class Wanted:
    """A service by its address; without one the store of the settings, or the service that has it open."""

    settings: Settings
    api: str | None = None
    key_file: Path | None = None


@contextmanager
def reached(wanted: Wanted, *, must_exist: bool) -> Iterator[End]:
    """Open the end; raises MonitorError when it cannot be used, or when there is no store and one must exist."""
    if wanted.api is not None:
        with RemoteEnd(wanted.api, _key(wanted)) as remote:
            yield remote
        return
    given = wanted.settings.store
    if must_exist and not given.path.exists():
        raise TransferFailed(f"There is no store {given.path}; say which one with --db, or a service with --api.")
    try:
        store = Store.open(given.path, memory_limit=given.memory_limit, threads=given.threads)
    except StoreLocked as held:
        with _serving(wanted.settings, held) as remote:
            yield remote
        return
    try:
        yield LocalEnd(store, utc_now)
    finally:
        store.close()


def _serving(settings: Settings, held: StoreLocked) -> RemoteEnd:
    """The service that has the store of the settings open, where it says that it listens, else where they say."""
    key = _key_beside(settings.store.path, held)
    if held.address is not None:
        return RemoteEnd(held.address, key)
    host = _EVERYWHERE.get(settings.server.host, settings.server.host)
    address = f"[{host}]" if ":" in host else host
    advice = f"{held} If that listens elsewhere, name it with --api and --key-file."
    return RemoteEnd(f"http://{address}:{settings.server.port}", key, advice)


def _key_beside(database: Path, held: StoreLocked) -> str:
    try:
        return Keys.read(keys_path(database)).by_role[Role.ADMIN]
    except (ConfigurationError, KeyError) as failure:
        raise TransferFailed(
            f"{held} Its keys are not beside it: name that service with --api and --key-file."
        ) from failure


def _key(wanted: Wanted) -> str:
    if wanted.key_file is not None:
        return Keys.read(wanted.key_file).by_role[Role.ADMIN]
    key = os.environ.get(KEY_NAME)
    if not key:
        raise TransferFailed(f"A service needs its admin key: say --key-file, or set {KEY_NAME}.")
    return key
