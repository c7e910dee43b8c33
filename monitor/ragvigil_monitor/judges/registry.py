"""Every judge that the monitor has."""

from collections.abc import Mapping
from typing import Final

from ragvigil_monitor.judges.judge import Judge
from ragvigil_monitor.judges.lexical import Lexical
from ragvigil_monitor.settings import Settings

JUDGES: Final[Mapping[str, Judge]] = {
    "lexical": Lexical(),
}
"""By the name in the settings, `judge.name`."""


def judge_of(settings: Settings) -> Judge:
    """The judge that these settings name."""
    return JUDGES[settings.judge.name]
