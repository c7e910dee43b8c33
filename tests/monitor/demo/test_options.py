import socket
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from ragvigil_monitor.demo.options import Options
from ragvigil_monitor.errors import ConfigurationError

Make = Callable[..., Options]
NOW = datetime(2026, 11, 30, 19, 39, 29, 950_512, tzinfo=UTC)


@pytest.fixture
def options() -> Make:
    def make(**changes: object) -> Options:
        values = {
            "seed": 1,
            "days": 1.0,
            "answers": 10,
            "headless": True,
            "port": 0,
            "page_port": 0,
            "review_page_port": 0,
        }
        return Options(**{**values, **changes})  # type: ignore[arg-type]  # a test's shorthand

    return make


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield listener.getsockname()[1]


def test_a_database_that_exists_is_not_touched(options: Make, tmp_path: Path) -> None:
    database = tmp_path / "mine.duckdb"
    database.write_bytes(b"precious")
    with pytest.raises(ConfigurationError, match=r"mine\.duckdb exists.*remove it or choose another"):
        options(db=database).check()
    assert database.read_bytes() == b"precious"


@pytest.mark.parametrize("where", ["db", "report"])
def test_a_missing_folder_is_told_before_the_simulation(options: Make, tmp_path: Path, where: str) -> None:
    with pytest.raises(ConfigurationError, match=r"There is no folder .*nowhere to write file\.x to"):
        options(**{where: tmp_path / "nowhere" / "file.x"}).check()


@pytest.mark.parametrize("option", ["port", "page_port", "review_page_port"])
def test_a_port_in_use_is_told_before_the_simulation(options: Make, taken: int, option: str) -> None:
    with pytest.raises(ConfigurationError, match=f"Port {taken} cannot be used .* --{option.replace('_', '-')}"):
        options(headless=False, **{option: taken}).check()


def test_a_headless_run_needs_no_port(options: Make, taken: int) -> None:
    options(port=taken).check()


def test_relative_paths_are_fine(options: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options(db=Path("new.duckdb"), report=Path("report.json")).check()


def test_without_an_end_a_run_ends_now_at_a_second_that_can_be_typed_again(options: Make) -> None:
    found = options().ends_at(NOW)
    assert found == NOW.replace(microsecond=0)
    assert options(end=found).ends_at(NOW + timedelta(days=20)) == found


@pytest.mark.parametrize(
    ("headless", "end"),
    [
        (True, NOW + timedelta(seconds=1)),
        (True, datetime(1999, 1, 1, tzinfo=UTC)),
        (False, NOW + timedelta(seconds=1)),
        (False, NOW - timedelta(days=32)),
    ],
    ids=["future", "too long ago", "future with pages", "too much to catch up with"],
)
def test_an_end_that_cannot_be_is_refused(options: Make, headless: bool, end: datetime) -> None:
    with pytest.raises(ConfigurationError, match=r"--end .* is not between .* and 2026-11-30 19:39 UTC"):
        options(headless=headless, end=end).ends_at(NOW)


def test_a_headless_run_may_end_years_ago(options: Make) -> None:
    years_ago = datetime(2003, 5, 5, tzinfo=UTC)
    assert options(end=years_ago).ends_at(NOW) == years_ago
