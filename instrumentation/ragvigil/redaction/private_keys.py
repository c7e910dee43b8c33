"""Blocks of private keys (RFC 7468 and the like), whole or with one end cut off."""

import re
from typing import Final

MARK: Final = "PRIVATE KEY"
"""What every such block has in its first and last line."""

_LINE: Final = rf"[A-Z0-9 ]{{0,40}}{MARK}(?: BLOCK)?-----"
_BLOCK: Final = re.compile(rf"-----BEGIN {_LINE}.*?(?:-----END {_LINE}|\Z)", re.DOTALL)
_END: Final = re.compile(rf"-----END {_LINE}")
_CONTENT: Final = re.compile(r"[A-Za-z0-9+/=\s\\]++")


def replaced(text: str, placeholder: str) -> str:
    """The text without them; where there is an end only, what may be content before it goes too."""
    text = _BLOCK.sub(placeholder, text)
    parts: list[str] = []
    done = 0
    for end in _END.finditer(text):
        before = text[done : end.start()]
        content = _CONTENT.match(before[::-1])
        parts += (before[: len(before) - (0 if content is None else content.end())], placeholder)
        done = end.end()
    return "".join([*parts, text[done:]])
