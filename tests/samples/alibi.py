"""alibi-detect in its own environment, kept running so that its start-up is paid once."""

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
PYTHON = ROOT / ".venv-alibi/bin/python"
WORKER_FOLDER = str(resources.files("ragvigil_monitor.drift"))


class Oracle:
    """Answers what `tests/alibi/oracle.py` can answer."""

    def __init__(self, process: subprocess.Popen[str], folder: Path) -> None:
        self._process = process
        self._folder = folder

    def ask(self, question: str, **values: Any) -> Any:
        """One question with plain values."""
        asked, answers = self._process.stdin, self._process.stdout
        assert asked is not None
        assert answers is not None
        asked.write(json.dumps({"question": question, **values}) + "\n")
        asked.flush()
        return json.loads(answers.readline())

    def ask_about(self, question: str, arrays: dict[str, Any], **values: Any) -> Any:
        """One question about arrays, which are handed over in a file."""
        path = self._folder / "asked.npz"
        np.savez(path, **arrays)
        return self.ask(question, path=str(path), **values)


@contextmanager
def running_oracle() -> Iterator[Oracle]:
    """The oracle, ready; on one thread, as our side."""
    command = [str(PYTHON), "-I", str(ROOT / "tests/alibi/oracle.py"), WORKER_FOLDER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    environment = {"PATH": os.environ["PATH"], "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"}
    with (
        TemporaryDirectory() as folder,
        subprocess.Popen(command, text=True, env=environment, **pipes) as process,  # type: ignore[call-overload]
    ):
        try:
            process.stdout.readline()
            yield Oracle(process, Path(folder))
        finally:
            process.kill()
