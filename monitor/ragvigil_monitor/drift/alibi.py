"""The permutation test of MMD² by alibi-detect, which runs as a process in an environment of its own.

0.11.4 is its last release under Apache-2.0; later ones are under BSL 1.1, which excludes production use.
"""

import io
import os
import re
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from tempfile import TemporaryFile
from threading import Event
from typing import IO, Annotated, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragvigil_monitor.errors import AlibiFailed
from ragvigil_monitor.settings import Drift
from ragvigil_monitor.statistics.permutation_p import permutation_p

FREE_VERSION = "0.11.4"
_VERSION_TIMEOUT_S = 60.0
_STOP_LOOKED_FOR_S = 0.2
_LONGEST_REASON = 300
_INHERITED = ("PATH", "HOME", "LANG", "TMPDIR")
"""Nothing else of the environment: it holds keys, and settings of this Python that would break the other one."""


class _Version(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    version: str = Field(pattern=r"^\d+\.\d+(\.\d+)?\S{0,20}$")


class _Answer(_Version):
    mmd2: Annotated[float, Field(allow_inf_nan=False)]
    p: Annotated[float, Field(ge=0, le=1)]


_Read = TypeVar("_Read", bound=_Version)


@dataclass(frozen=True, slots=True)
class AlibiTest:
    """mmd2: the unbiased estimate. p: of permutations of its own, converted to the exact (B p + 1) / (B + 1)."""

    version: str
    mmd2: float
    p: float
    permutations: int


@dataclass(frozen=True, slots=True)
class AlibiDetect:
    """The library in its environment. Every method raises AlibiFailed with a sentence that says what to do.

    stopping: once it is set, a test that runs is given up.
    """

    python: Path
    timeout_s: float
    license_acknowledged: bool
    stopping: Event

    @classmethod
    def of(cls, settings: Drift, stopping: Event) -> Self:
        """As the settings say."""
        return cls(settings.alibi_python, settings.timeout_s, settings.license_acknowledged == "BSL-1.1", stopping)

    def usable_version(self) -> str:
        """The installed version, if it may be used."""
        found = _read(_Version, self._run(["version"], b"", _VERSION_TIMEOUT_S)).version
        if _numbers(found) < _numbers(FREE_VERSION):
            raise AlibiFailed(f"alibi-detect {found} is too old; install {FREE_VERSION} with `make setup-alibi`.")
        if _numbers(found) > _numbers(FREE_VERSION) and not self.license_acknowledged:
            raise AlibiFailed(
                f"alibi-detect {found} is under BSL 1.1, which excludes production use. Install {FREE_VERSION}, or "
                "set drift.license_acknowledged to BSL-1.1 if you may use it."
            )
        return found

    def test(
        self,
        reference: NDArray[np.float64],
        current: NDArray[np.float64],
        *,
        gamma: float,
        permutations: int,
        seed: int = 0,
    ) -> AlibiTest:
        """Test rows of `reference` against rows of `current`, at least two each, under the kernel exp(-γ ‖x - y‖²)."""
        _refuse_unusable(reference, current)
        self.usable_version()
        archive = io.BytesIO()
        np.savez(archive, reference=reference, current=current, gamma=gamma, permutations=permutations, seed=seed)
        last_resort_s = str(int(self.timeout_s) + 10)
        found = _read(_Answer, self._run(["test", last_resort_s], archive.getvalue(), self.timeout_s))
        p = permutation_p(round(found.p * permutations), permutations)
        return AlibiTest(found.version, found.mmd2, p, permutations)

    def _run(self, arguments: Sequence[str], request: bytes, timeout_s: float) -> bytes:
        # A file, because a pipe that is full when communicate() is interrupted is never filled again.
        with TemporaryFile() as asked:
            asked.write(request)
            asked.seek(0)
            process = self._started(arguments, asked)
            try:
                answer, complaint = self._answered(process, timeout_s)
            finally:
                _end(process)
        if process.returncode != 0:
            raise AlibiFailed(f"alibi-detect {_ending(process.returncode)}: {_last_line(complaint)}")
        return answer

    def _started(self, arguments: Sequence[str], asked: IO[bytes]) -> subprocess.Popen[bytes]:
        worker = str(resources.files(__package__).joinpath("alibi_worker.py"))
        try:
            # -I: neither PYTHONPATH nor the folder of the worker may shadow what that environment holds.
            return subprocess.Popen(  # noqa: S603 - the program is a setting of whoever runs the service
                [str(self.python), "-I", worker, *arguments],
                stdin=asked,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(os.environ),
                start_new_session=True,
            )
        except OSError as failure:
            raise AlibiFailed(
                f"There is no environment of alibi-detect: {self.python} cannot be run ({failure.strerror}). "
                "Build it with `make setup-alibi`, or set drift.alibi_python."
            ) from failure

    def _answered(self, process: subprocess.Popen[bytes], timeout_s: float) -> tuple[bytes, bytes]:
        deadline = time.monotonic() + timeout_s
        while True:
            with suppress(subprocess.TimeoutExpired):
                return process.communicate(timeout=_STOP_LOOKED_FOR_S)
            if self.stopping.is_set():
                raise AlibiFailed("The service was stopped before alibi-detect had an answer.")
            if time.monotonic() > deadline:
                raise AlibiFailed(
                    f"alibi-detect had no answer after {timeout_s:g} s; raise drift.timeout_s if that is too short."
                )


def _refuse_unusable(*samples: NDArray[np.float64]) -> None:
    """alibi-detect answers a single NaN with p = 0, which would read as drift."""
    for sample in samples:
        if sample.ndim != 2 or len(sample) < 2 or not np.isfinite(sample).all():
            raise AlibiFailed(
                f"alibi-detect needs two or more finite vectors on each side; got an array of shape {sample.shape}."
            )


def _environment(whole: Mapping[str, str]) -> dict[str, str]:
    kept = {name: whole[name] for name in _INHERITED if name in whole}
    return {**kept, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}


def _read(model: type[_Read], answer: bytes) -> _Read:
    try:
        return model.model_validate_json(answer)
    except ValidationError as invalid:
        shown = answer[:80].decode(errors="replace")
        raise AlibiFailed(f"alibi-detect gave no usable answer, but {shown!r} ({_first(invalid)}).") from invalid


def _first(invalid: ValidationError) -> str:
    problem = invalid.errors()[0]
    return " ".join([*(str(part) for part in problem["loc"]), problem["msg"]])


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:3]]


def _ending(code: int) -> str:
    return f"was ended by {signal.Signals(-code).name}" if code < 0 else f"failed with exit code {code}"


def _last_line(complaint: bytes) -> str:
    lines = complaint.decode(errors="replace").split("\n")
    return next((line.strip()[:_LONGEST_REASON] for line in reversed(lines) if line.strip()), "it gave no reason")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process and whatever it started; nothing is left to do where it ended by itself."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()
