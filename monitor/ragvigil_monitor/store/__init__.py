"""The store: one DuckDB file, one owner process, all of the SQL."""

from ragvigil_monitor.store.database import Store, Writer
from ragvigil_monitor.store.snapshot import Reader

__all__ = ["Reader", "Store", "Writer"]
