"""The errors that the monitor raises, as a tree.

MonitorError
├── StoreError            the database file cannot be used
│   ├── StoreLocked       another process holds it
│   └── StoreTooNew       a newer Ragvigil wrote it
├── ConfigurationError    a setting is missing or not valid
└── BadTelemetry          a request body is not what the protocol asks for
"""


class MonitorError(Exception):
    """Base of everything that the monitor raises on purpose; its text is meant for a person."""


class StoreError(MonitorError):
    """The database file cannot be used."""


class StoreLocked(StoreError):  # noqa: N818 - a state, as in sqlite3 and duckdb
    """Another process has the database open."""


class StoreTooNew(StoreError):  # noqa: N818
    """The database was written by a newer version."""


class ConfigurationError(MonitorError, ValueError):
    """A setting is missing or not valid."""


class BadTelemetry(MonitorError, ValueError):  # noqa: N818
    """A request body cannot be read; `status` is the HTTP status that says so."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status
