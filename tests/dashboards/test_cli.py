"""`ragvigil dashboard oncall|review`."""

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

from ragvigil_dashboards import cli


@pytest.fixture
def key_file(tmp_path: Path) -> Path:
    path = tmp_path / "keys.json"
    path.write_text(json.dumps({"oncall": "night", "reviewer": "blind", "ingest": "in"}), encoding="utf-8")
    return path


def parse(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    cli.command.configure(parser)
    return parser.parse_args(arguments)


def test_the_command_has_the_shape_that_ragvigil_loads() -> None:
    assert cli.command.help
    assert cli.command.extra == "dashboards"
    assert callable(cli.command.run)


def test_it_listens_on_loopback_unless_told_otherwise() -> None:
    args = parse("oncall")
    assert (args.host, args.port, args.api, args.key_file) == ("127.0.0.1", None, None, None)
    assert [app.port for app in cli.APPS.values()] == [8501, 8502]


def test_an_unknown_app_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse("offcall")
    assert ended.value.code == 2
    assert "offcall" in capsys.readouterr().err


@pytest.mark.parametrize("app", cli.APPS)
def test_every_app_has_a_script(app: str) -> None:
    assert cli.APPS[app].script.is_file()


def test_the_review_app_gets_the_reviewers_key(key_file: Path) -> None:
    assert cli.environment({}, cli.APPS["review"].role, None, key_file) == {"RAGVIGIL_API_KEY": "blind"}


def test_streamlit_is_told_to_be_quiet_and_private() -> None:
    command = cli.streamlit_command("oncall", "127.0.0.1", 9000)
    assert command[:4] == [sys.executable, "-m", "streamlit", "run"]
    assert Path(command[4]).is_file()
    assert {
        "--server.address=127.0.0.1",
        "--server.port=9000",
        "--server.headless=true",
        "--browser.gatherUsageStats=false",
        "--runner.magicEnabled=false",
    } <= set(command)


def test_address_and_key_reach_the_app_by_environment_not_by_command_line(key_file: Path) -> None:
    given = cli.environment({"PATH": "/bin"}, "oncall", "http://x:1", key_file)
    assert given == {"PATH": "/bin", "RAGVIGIL_API_URL": "http://x:1", "RAGVIGIL_API_KEY": "night"}
    assert "night" not in " ".join(cli.streamlit_command("oncall", "h", 1))


def test_what_is_not_given_stays_as_it_is() -> None:
    present = {"RAGVIGIL_API_URL": "http://y:2", "RAGVIGIL_API_KEY": "k"}
    assert cli.environment(present, "oncall", None, None) == present


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"not json", "is not the key file"),
        (b"[]", "holds no key for oncall"),
        (b'{"oncall": 5}', "holds no key"),
        (b"\xff", "is not the key file"),
    ],
)
def test_a_key_file_without_a_key_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, said: str
) -> None:
    path = tmp_path / "keys.json"
    path.write_bytes(content)
    assert cli.run(parse("oncall", "--key-file", str(path))) == 2
    assert said in capsys.readouterr().err


def test_a_missing_key_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(parse("oncall", "--key-file", str(tmp_path / "none"))) == 2
    assert "none" in capsys.readouterr().err


def test_the_command_loads_nothing_heavy_before_it_runs() -> None:
    heavy = "import ragvigil_dashboards.cli, sys; print({'streamlit', 'httpx', 'pydantic'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "set()"


def test_the_pages_import_neither_the_monitor_nor_the_instrumentation() -> None:
    code = (
        "import pkgutil, importlib, sys, ragvigil_dashboards as top\n"
        "names = [m.name for m in pkgutil.walk_packages(top.__path__, 'ragvigil_dashboards.')]\n"
        "[importlib.import_module(name) for name in names if not name.endswith('.app')]\n"
        "print(sorted(name for name in sys.modules if name.partition('.')[0] in {'ragvigil', 'ragvigil_monitor'}))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
