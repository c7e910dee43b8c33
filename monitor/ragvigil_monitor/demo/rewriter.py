"""Query rewriting: politeness out, abbreviations spelled out."""

import re

_POLITE = re.compile(r"\b(?:please|pls|thanks|thank you)\b[,.]?\s*", re.IGNORECASE)
_SPELLED_OUT = {"args": "arguments", "arg": "argument", "func": "function", "dir": "directory", "str": "string"}
_ABBREVIATION = re.compile(rf"(?<![.\w])(?:{'|'.join(_SPELLED_OUT)})(?![.\w])")


def rewrite(question: str) -> str:
    """The question as it is searched for."""
    plain = _POLITE.sub("", question).strip()
    return _ABBREVIATION.sub(lambda found: _SPELLED_OUT[found[0]], plain)
