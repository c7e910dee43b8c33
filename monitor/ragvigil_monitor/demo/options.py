"""What was asked for on the command line, and whether it can work: minutes of simulation are not to end in a typo."""

import socket
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from ragvigil_monitor.errors import ConfigurationError

_EARLIEST_END: Final = datetime(2002, 1, 1, tzinfo=UTC)
"""The longest run that ends here begins where times are still taken for real ones."""
_MOST_CAUGHT_UP: Final = timedelta(days=31)
"""Where the pages stay, everything between the end of the run and now is judged first."""


@dataclass(frozen=True, slots=True)
class Options:
    """A run of the demo; `db` None is a database that is removed at the end, `end` None is now.

    The same seed, end, days and answers give the same run.
    """

    seed: int
    days: float
    answers: int
    headless: bool
    end: datetime | None = None
    db: Path | None = None
    report: Path | None = None
    port: int = 4318
    page_port: int = 8501
    review_page_port: int = 8502

    def check(self) -> None:
        """Raise ConfigurationError for what would fail only after the simulation."""
        if self.db is not None and self.db.exists():
            raise ConfigurationError(f"{self.db} exists. The demo fills a new database: remove it or choose another.")
        for file in (self.db, self.report):
            if file is not None and not file.absolute().parent.is_dir():
                raise ConfigurationError(f"There is no folder {file.absolute().parent} to write {file.name} to.")
        if not self.headless:
            _check_port(self.port, "--port")
            _check_port(self.page_port, "--page-port")
            _check_port(self.review_page_port, "--review-page-port")

    def ends_at(self, now: datetime) -> datetime:
        """When the simulated time ends: as asked for, or the full second before `now`.

        Raises ConfigurationError for a time that has not come, or lies too far back.
        """
        if self.end is None:
            return now.replace(microsecond=0)
        earliest = _EARLIEST_END if self.headless else now - _MOST_CAUGHT_UP
        if not earliest <= self.end <= now:
            where = "" if self.headless else " where the pages stay"
            raise ConfigurationError(
                f"--end {self.end.isoformat()} is not between {earliest:%Y-%m-%d %H:%M} and {now:%Y-%m-%d %H:%M} "
                f"UTC{where}."
            )
        return self.end


def _check_port(port: int, option: str) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as failure:
            raise ConfigurationError(f"Port {port} cannot be used ({failure}). Choose another: {option}.") from failure
