"""What could not be read of a file is kept beside it."""

import logging
from pathlib import Path
from typing import Final

SUFFIX: Final = ".rejected"
MAX_ASIDE_BYTES: Final = 64 << 20
"""So much is kept of one file; beyond it pieces are only counted."""

logger = logging.getLogger(__name__)


SAMPLE_BYTES: Final = 1 << 20
"""So much is kept of requests of which a part is stored: enough to see what is wrong with the rest."""


def keep_aside(path: Path, content: bytes, most_bytes: int = MAX_ASIDE_BYTES) -> bool:
    """Append a piece of a file, and a line break, to `<file>.rejected`; whether that was possible."""
    aside = path.with_name(path.name + SUFFIX)
    try:
        with aside.open("ab") as file:
            if file.tell() + len(content) > most_bytes:
                return False
            file.write(content.rstrip(b"\r\n") + b"\n")
    except OSError as failure:
        logger.warning("What could not be read of %s cannot be kept in %s: %s", path, aside, failure)
        return False
    return True
