"""Settings of what computes the evidence of drift."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from ragvigil_monitor.settings.section import Section


class Drift(Section):
    """Who computes the permutation test that stands beside a drift alarm; the alarm itself is always builtin."""

    backend: Literal["builtin", "alibi-detect"] = Field(
        "builtin", description="`alibi-detect` has each test computed a second time by that library, and compared."
    )
    alibi_python: Path = Field(
        Path(".venv-alibi/bin/python"),
        description="Python of the environment that `make setup-alibi` builds; from the working directory.",
    )
    timeout_s: float = Field(1800.0, ge=1, le=86400, description="How long alibi-detect may take for one test.")
    license_acknowledged: Literal["BSL-1.1"] | None = Field(
        None,
        description="`BSL-1.1` says that you may use alibi-detect newer than 0.11.4; its licence excludes production.",
    )
