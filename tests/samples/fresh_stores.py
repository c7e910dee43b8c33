"""Empty stores in memory whose schema is copied from one that was migrated once, which takes a third of the time."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from ragvigil_monitor.store import Store
from ragvigil_monitor.store.connection import connect
from ragvigil_monitor.store.database import NO_LIMITS
from ragvigil_monitor.store.disk import Disk
from ragvigil_monitor.store.instance import Instance


def fresh_store() -> Store:
    """What `Store.open(None)` opens, without the way through all migrations; test_fresh_stores.py compares them."""
    connection = connect(None, "1GB", 2)
    connection.execute(f"ATTACH '{_migrated()}' AS migrated (READ_ONLY)")
    connection.execute("COPY FROM DATABASE migrated TO memory (SCHEMA)")
    connection.execute("INSERT INTO schema_migrations FROM migrated.schema_migrations")
    connection.execute("DETACH migrated")
    return Store(Instance(connection, None), None, Disk(None, NO_LIMITS))


@cache
def _migrated() -> Path:
    """A file that is made once a process and removed at its end."""
    folder = Path(tempfile.mkdtemp(prefix="ragvigil-schema-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    Store.open(folder / "migrated.duckdb").close()
    return folder / "migrated.duckdb"
