"""What goes wrong with another program's environment, each with a program that goes wrong in that way."""

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from tests.samples.cross_checks import program

from ragvigil_monitor.drift.alibi import AlibiDetect, AlibiTest
from ragvigil_monitor.errors import AlibiFailed

MakeAlibi = Callable[..., AlibiDetect]
ANSWER = '{"version": "0.11.4", "mmd2": 0.25, "p": 0.02}'
RNG = np.random.default_rng(0)
REFERENCE, CURRENT = RNG.normal(size=(6, 3)), RNG.normal(size=(4, 3))


@pytest.fixture
def make_alibi(tmp_path: Path) -> MakeAlibi:
    """Makes a program that says `version` and then does what `test` says, in place of a Python."""

    def make(
        test: str = f"cat >/dev/null; echo '{ANSWER}'",
        *,
        version: str = '{"version": "0.11.4"}',
        timeout_s: float = 30,
        acknowledged: bool = False,
    ) -> AlibiDetect:
        python = program(tmp_path / "python", test, version=version)
        return AlibiDetect(python, timeout_s, acknowledged, threading.Event())

    return make


def result_of(alibi: AlibiDetect) -> AlibiTest:
    return alibi.test(REFERENCE, CURRENT, gamma=0.5, permutations=100)


def test_its_share_of_permutations_becomes_an_exact_p(make_alibi: MakeAlibi) -> None:
    assert result_of(make_alibi()) == AlibiTest("0.11.4", 0.25, 3 / 101, 100)


def test_the_vectors_reach_it_without_rounding(make_alibi: MakeAlibi, tmp_path: Path) -> None:
    result_of(make_alibi(f"cat >{tmp_path}/request.npz; echo '{ANSWER}'"))
    with np.load(tmp_path / "request.npz", allow_pickle=False) as request:
        assert {name: request[name].item() for name in ("gamma", "permutations", "seed")} == {
            "gamma": 0.5,
            "permutations": 100,
            "seed": 0,
        }
        np.testing.assert_array_equal(request["reference"], REFERENCE)
        np.testing.assert_array_equal(request["current"], CURRENT)


def test_a_large_request_reaches_one_that_takes_its_time(make_alibi: MakeAlibi, tmp_path: Path) -> None:
    """More than a pipe holds, and read only after the first look whether the service stops."""
    alibi = make_alibi(f"sleep 0.5; cat >{tmp_path}/request.npz; echo '{ANSWER}'", timeout_s=20)
    large = np.random.default_rng(1).normal(size=(1_000, 100))
    alibi.test(large, CURRENT, gamma=0.5, permutations=100)
    with np.load(tmp_path / "request.npz", allow_pickle=False) as request:
        np.testing.assert_array_equal(request["reference"], large)


def test_it_sees_no_secret_of_the_service(
    make_alibi: MakeAlibi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGVIGIL_NOTIFY__WEBHOOK__SECRET", "sixteen characters")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    result_of(make_alibi(f"env >{tmp_path}/seen; cat >/dev/null; echo '{ANSWER}'"))
    seen = {line.partition("=")[0] for line in (tmp_path / "seen").read_text().splitlines()}
    assert seen <= {
        "PATH",
        "HOME",
        "LANG",
        "TMPDIR",
        "OMP_NUM_THREADS",
        "HF_HUB_OFFLINE",
        "PWD",
        "SHLVL",
        "_",
        "OLDPWD",
    }


@pytest.mark.parametrize("name", ["absent/python", ""], ids=["absent", "a folder"])
def test_an_absent_environment_is_said_to_be_absent(tmp_path: Path, name: str) -> None:
    alibi = AlibiDetect(tmp_path / name, 30, False, threading.Event())
    with pytest.raises(AlibiFailed, match=r"no environment of alibi-detect.*make setup-alibi.*drift\.alibi_python"):
        result_of(alibi)


@pytest.mark.parametrize(
    ("version", "acknowledged", "said"),
    [
        ("0.4.4", True, r"0\.4\.4 is too old; install 0\.11\.4"),
        ("0.13.0", False, r"0\.13\.0 is under BSL 1\.1.*drift\.license_acknowledged"),
        ("0.11.5", False, r"0\.11\.5 is under BSL 1\.1"),
        ("1.0", False, r"1\.0 is under BSL 1\.1"),
    ],
)
def test_a_version_that_may_not_be_used_is_not_used(
    make_alibi: MakeAlibi, tmp_path: Path, version: str, acknowledged: bool, said: str
) -> None:
    alibi = make_alibi(f"touch {tmp_path}/used", version=f'{{"version": "{version}"}}', acknowledged=acknowledged)
    with pytest.raises(AlibiFailed, match=said):
        result_of(alibi)
    assert not (tmp_path / "used").exists()


@pytest.mark.parametrize("version", ["0.11.5", "0.13.0", "0.11.4"])
def test_with_the_licence_acknowledged_newer_versions_are_used(make_alibi: MakeAlibi, version: str) -> None:
    alibi = make_alibi(version=f'{{"version": "{version}"}}', acknowledged=True)
    assert alibi.usable_version() == version
    assert result_of(alibi).mmd2 == 0.25


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("echo first >&2; echo 'ImportError: no torch' >&2; exit 3", "failed with exit code 3: ImportError: no torch$"),
        ("exit 1", "failed with exit code 1: it gave no reason"),
        ("kill -9 $$", "was ended by SIGKILL: it gave no reason"),
        ("cat >/dev/null", "no usable answer, but ''"),
        ("cat >/dev/null; echo Using backend torch", "no usable answer, but 'Using backend torch"),
        ("head -c 200 /dev/urandom", "no usable answer"),
        (f"echo '{ANSWER[:-9]}'", "no usable answer"),
        (f"echo '{ANSWER}' '{ANSWER}'", "no usable answer"),
        ("""echo '{"version": "0.11.4", "mmd2": NaN, "p": 0.0}'""", "mmd2 Input should be a finite number"),
        ("""echo '{"version": "0.11.4", "mmd2": 0.1, "p": 1.5}'""", "p Input should be less than or equal to 1"),
        ("""echo '{"version": "0.11.4", "mmd2": 0.1}'""", "p Field required"),
    ],
    ids=[
        "crash with a reason",
        "crash without",
        "killed",
        "empty",
        "words",
        "noise",
        "half-written",
        "two answers",
        "NaN",
        "p above 1",
        "no p",
    ],
)
def test_whatever_else_it_does_is_named(make_alibi: MakeAlibi, test: str, said: str) -> None:
    with pytest.raises(AlibiFailed, match=said):
        result_of(make_alibi(test))


def test_one_that_takes_too_long_is_ended_with_all_that_it_started(make_alibi: MakeAlibi, tmp_path: Path) -> None:
    """The child holds the pipes open, so that waiting for their end would take its minute."""
    alibi = make_alibi(f"sleep 60 & echo $! >{tmp_path}/child; wait", timeout_s=2)
    with pytest.raises(AlibiFailed, match=r"no answer after 2 s; raise drift\.timeout_s"):
        result_of(alibi)
    assert ended(int((tmp_path / "child").read_text()))


def test_a_service_that_stops_does_not_wait_for_it(make_alibi: MakeAlibi) -> None:
    alibi = make_alibi("sleep 60")
    alibi.stopping.set()
    with pytest.raises(AlibiFailed, match="service was stopped before"):
        result_of(alibi)


def ended(pid: int, timeout_s: float = 20) -> bool:
    """Whether a process is gone, or only waits for its parent to notice."""
    deadline = time.monotonic() + timeout_s
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize(
    ("reference", "current"),
    [
        (REFERENCE, np.where(CURRENT > 1, np.nan, np.r_[CURRENT[:3], [[np.nan, 0, 0]]])),
        (REFERENCE, np.full((4, 3), np.inf)),
        (REFERENCE, CURRENT[:1]),
        (REFERENCE[:0], CURRENT),
        (REFERENCE[0], CURRENT),
    ],
    ids=["NaN", "infinite", "one vector", "empty", "one axis"],
)
def test_unusable_vectors_are_never_handed_over(
    make_alibi: MakeAlibi, tmp_path: Path, reference: np.ndarray, current: np.ndarray
) -> None:
    alibi = make_alibi(f"touch {tmp_path}/used", version="not even asked")
    with pytest.raises(AlibiFailed, match="two or more finite vectors"):
        alibi.test(reference, current, gamma=1.0, permutations=10)
    assert not (tmp_path / "used").exists()
