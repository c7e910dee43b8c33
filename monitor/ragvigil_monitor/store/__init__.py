"""The store: one DuckDB file, one owner process, all of the SQL."""

from ragvigil_monitor.store.database import Store, Writer

__all__ = ["Store", "Writer"]
