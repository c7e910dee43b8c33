"""The `ragvigil` command: finds commands of installed packages and names a missing extra."""

import importlib.util
import tomllib
from argparse import ArgumentParser, Namespace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import ragvigil
from ragvigil.cli import main
from ragvigil.commands import GROUP, Command


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--status", type=int, default=0)
    parser.add_argument("--needs", default=None)


def run(parsed: Namespace) -> int:
    if parsed.needs:
        raise ModuleNotFoundError(f"No module named {parsed.needs!r}", name=parsed.needs)
    status: int = parsed.status
    return status


command = Command("does what it is told", add_arguments, run, extra="monitor,demo")


@pytest.fixture
def available(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Two commands, of which the second breaks when it is loaded; the names that were loaded."""
    loaded: list[str] = []

    class Entry:
        def __init__(self, name: str, value: Command | None) -> None:
            self.name = name
            self._value = value

        def load(self) -> Command:
            loaded.append(self.name)
            if self._value is None:
                raise RuntimeError("must not be loaded")
            return self._value

    entries = [Entry("obey", command), Entry("broken", None)]
    monkeypatch.setattr("ragvigil.cli.entry_points", lambda group: entries if group == GROUP else [])
    return loaded


def test_only_the_command_that_was_asked_for_is_loaded(available: list[str]) -> None:
    assert main(["obey"]) == 0
    assert available == ["obey"]


def test_the_exit_status_is_that_of_the_command(available: list[str]) -> None:
    assert main(["obey", "--status", "7"]) == 7


def test_a_missing_extra_is_named(available: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["obey", "--needs", "duckdb.sub"]) == 2
    assert capsys.readouterr().err == (
        "`ragvigil obey` needs the monitor,demo extra: pip install 'ragvigil[monitor,demo]' "
        "(duckdb.sub is not installed)\n"
    )


@pytest.mark.parametrize("module", ["ragvigil.nonsense", "ragvigil_monitor.nonsense"])
def test_a_module_of_ours_that_is_missing_is_a_bug(available: list[str], module: str) -> None:
    with pytest.raises(ModuleNotFoundError):
        main(["obey", "--needs", module])


@pytest.mark.parametrize("arguments", [["obey", "--nonsense"], ["obey", "--status", "x"]], ids=" ".join)
def test_wrong_arguments_are_a_usage_error(
    available: list[str], capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert capsys.readouterr().err.startswith("usage: ragvigil")


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"ragvigil {ragvigil.__version__}\n"


def test_every_command_of_the_packaging_exists() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for name, target in project["entry-points"][GROUP].items():
        module = EntryPoint(name, target, GROUP).module
        assert importlib.util.find_spec(module), f"{name} = {target}"
