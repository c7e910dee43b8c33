"""What was asked for on the command line, and whether it can work: minutes of simulation are not to end in a typo."""

import socket
from dataclasses import dataclass
from pathlib import Path

from ragvigil_monitor.errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Options:
    """A run of the demo; `db` None is a database that is removed at the end."""

    seed: int
    days: float
    answers: int
    headless: bool
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


def _check_port(port: int, option: str) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as failure:
            raise ConfigurationError(f"Port {port} cannot be used ({failure}). Choose another: {option}.") from failure
