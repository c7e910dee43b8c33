"""Take a backup: of a file at rest directly, of a running service by asking it."""

from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from ragvigil_monitor.backup.asking import Progress, Source, download
from ragvigil_monitor.backup.files import FreeBytes, free_bytes, require_space, whole_file
from ragvigil_monitor.backup.target import refuse_databases
from ragvigil_monitor.errors import BackupFailed, ConfigurationError, StoreLocked
from ragvigil_monitor.keys import Keys, Role, keys_path
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store.copying import check_backup, copy_file
from ragvigil_monitor.store.manifest import Manifest


@dataclass(frozen=True, slots=True)
class Order:
    """What is wanted: `target` is replaced only with `force`; `source` is None where the settings say what to copy."""

    target: Path
    source: Source | None
    force: bool = False


def take(order: Order, settings: Settings, now: datetime, progress: Progress, free: FreeBytes = free_bytes) -> Manifest:
    """Write a backup and read it back; what it says of itself. Raises MonitorError, and leaves nothing half then.

    No database is ever replaced, with `force` neither.
    """
    refuse_databases(order.target, settings.store.path)
    with whole_file(order.target, replace=order.force) as partial:
        if order.source is None:
            _copy(settings, partial, now, progress, free)
        else:
            download(order.source, partial, progress, free)
        manifest = check_backup(partial)
        refuse_databases(order.target, settings.store.path)
        return manifest


def _copy(settings: Settings, partial: Path, now: datetime, progress: Progress, free: FreeBytes) -> None:
    path = settings.store.path
    if not path.is_file():
        raise BackupFailed(f"There is no database {path}; name it with --db, or the service with --api.")
    require_space(partial.parent, path.stat().st_size, "The backup", free)
    try:
        copy_file(path, partial, version("ragvigil"), now)
    except StoreLocked as held:
        _ask(_serving(settings, held), held, partial, progress, free)


def _ask(source: Source, held: StoreLocked, partial: Path, progress: Progress, free: FreeBytes) -> None:
    try:
        download(source, partial, progress, free)
    except BackupFailed as failure:
        raise BackupFailed(
            f"{failure} ({held} If that listens elsewhere, name it with --api and --key-file.)"
        ) from failure


def _serving(settings: Settings, held: StoreLocked) -> Source:
    """The service that should have the file open, by the settings and the keys beside the file."""
    path, server = settings.store.path, settings.server
    host = f"[{server.host}]" if ":" in server.host else server.host
    reachable = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}.get(host, host)  # noqa: S104 - not bound, only recognised
    try:
        key = Keys.read(keys_path(path)).by_role[Role.ADMIN]
    except (ConfigurationError, KeyError) as failure:
        raise BackupFailed(
            f"{held} Its keys are not beside it: name that service with --api and --key-file."
        ) from failure
    return Source(held.address or f"http://{reachable}:{server.port}", key)
