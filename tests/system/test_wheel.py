"""The built wheel in an environment that has what it declares and nothing else."""

import subprocess
import sys
import venv
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

import pytest
from tests.samples.distributions import distributions

ROOT = Path(__file__).parents[2]
MAY_COME_ALONG = {"ragvigil", "protobuf", "typing-extensions"}
HEAVY = {"numpy", "pyarrow", "duckdb", "pydantic", "fastapi", "httpx", "scipy", "streamlit"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def bare(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel and copies of its declared dependencies; its folder of programs.

    Copied from the running environment instead of downloaded, so that the test needs no network. What is copied
    follows from the metadata of the wheel and of its dependencies, as it would for an installer.
    """
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--no-deps", "--no-index", str(wheel)], check=True)
    (site_packages,) = folder.glob("lib/python*/site-packages")
    for name in distributions("ragvigil") - {"ragvigil"}:
        copy(distribution(name), site_packages)
    return python.parent


def copy(installed: Distribution, site_packages: Path) -> None:
    for file in installed.files or []:
        if ".." in file.parts or file.suffix == ".pyc":
            continue
        target = site_packages / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(Path(str(file.locate())).read_bytes())


def run(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False, cwd=program.parent)


def test_the_wheel_holds_three_typed_packages_and_the_explained_settings(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"ragvigil/py.typed", "ragvigil_monitor/py.typed", "ragvigil_dashboards/py.typed"} <= set(names)
    assert "ragvigil_monitor/ragvigil.yaml" in names
    assert "ragvigil_monitor/store/queries/insert_spans.sql" in names
    packages = {name.partition("/")[0] for name in names if ".dist-info" not in name}
    assert packages == {"ragvigil", "ragvigil_monitor", "ragvigil_dashboards"}


def test_it_brings_few_and_only_opentelemetry_protobuf_and_typing_extensions() -> None:
    brought = distributions("ragvigil")
    assert len(brought) <= 6
    assert not {name for name in brought if not name.startswith("opentelemetry-")} - MAY_COME_ALONG


def test_it_can_be_imported_with_nothing_else_installed(bare: Path) -> None:
    finished = run(bare / "python", "-c", "import ragvigil; print(ragvigil.__file__)")
    assert finished.stderr == ""
    assert finished.stdout.strip().startswith(str(bare.parent))


def test_importing_it_loads_nothing_heavy_where_that_is_installed() -> None:
    finished = run(Path(sys.executable), "-c", "import sys, ragvigil; print(*sys.modules)")
    loaded = {name.partition(".")[0] for name in finished.stdout.split()}
    assert "ragvigil" in loaded
    assert not loaded & (HEAVY | {"ragvigil_monitor", "ragvigil_dashboards"})


@pytest.mark.parametrize("command", ["serve", "up"])
def test_a_command_of_the_service_names_the_missing_extra(bare: Path, command: str) -> None:
    finished = run(bare / "ragvigil", command)
    assert finished.returncode == 2
    assert f"`ragvigil {command}` needs the monitor extra: pip install 'ragvigil[monitor]'" in finished.stderr
    assert "Traceback" not in finished.stderr


def test_the_commands_are_listed(bare: Path) -> None:
    finished = run(bare / "ragvigil", "--help")
    assert finished.returncode == 0
    assert {"serve", "up", "dashboard", "backup", "restore"} <= set(finished.stdout.split())


def test_the_doctor_needs_no_extra(bare: Path) -> None:
    finished = run(bare / "ragvigil", "doctor", "--endpoint", "http://127.0.0.1:1", "--timeout", "5")
    assert (finished.returncode, finished.stderr) == (1, "")
    assert "extras: none, and instrumentation needs none" in finished.stdout
    assert "problem  sending traces: nobody listens there" in finished.stdout
