"""The doctor's command, run as the shell would."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from ragvigil.doctor.command import command


class Examined(NamedTuple):
    """Exit status and findings, by check."""

    status: int
    findings: list[dict[str, str]]

    def of(self, check: str) -> dict[str, str]:
        """The only finding of a check."""
        (found,) = [finding for finding in self.findings if finding["check"] == check]
        return found


Examine = Callable[..., Examined]


@pytest.fixture
def examine(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Examine:
    """Run `ragvigil doctor --json` with more arguments."""
    for name in ("RAGVIGIL_API_KEY", "RAGVIGIL_API_URL", "RAGVIGIL_SPOOL_DIR"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str) -> Examined:
        parser = ArgumentParser()
        command.configure(parser)
        status = command.run(parser.parse_args(["--json", "--timeout", "5", *arguments]))
        said: dict[str, Any] = json.loads(capsys.readouterr().out)
        assert said["ok"] == (status == 0)
        return Examined(status, said["findings"])

    return run
