"""Who may read the files that a command makes."""

import os
import stat
from pathlib import Path
from typing import Final

_OTHERS: Final = 0o077


def keep_from_others(database: Path) -> None:
    """Let this process make files for their owner only: questions and answers are in the database and in its log.

    Where the database is there already, whoever may use it may also use the log that is made anew beside it.
    """
    usual = os.umask(_OTHERS)
    if database.exists():
        os.umask(usual | (_OTHERS & ~stat.S_IMODE(database.stat().st_mode)))
