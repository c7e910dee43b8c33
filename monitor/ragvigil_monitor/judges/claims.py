"""The claims of an answer: its sentences, without citation marks and questions.

Every repetition in these expressions is bounded or cannot be entered twice, so that reading is linear in the text.
"""

import re
from collections.abc import Iterator
from typing import Final

from ragvigil_monitor.judges.words import SUPERSCRIPTS

_RAISED: Final = re.compile(f"[ \t]{{0,3}}[{SUPERSCRIPTS}]")
_GLUED: Final = r"(?P<glued>(?=\w))?"
"""What is left out between two words still separates them."""
_CITATIONS: Final = re.compile(
    r"(?:[ \t]{0,3}\[\^?\d[\d\s,;–-]{0,60}\](?:\([^)\s]{0,500}\))?"  # [1], [1, 2], [^3], [4](https://…)
    r"|[ \t]{0,3}【\d[^】\n]{0,80}】)" + _GLUED  # 【1†source】
)
_LINKS: Final = re.compile(r"\[(?P<words>[^\]\[\n]{1,200})\]\([^)\s]{0,500}\)" + _GLUED)
_NAMED_CITATIONS: Final = re.compile(r"[ \t]{0,3}\[[\w.:#/@-]{1,100}(?:[,;] ?[\w.:#/@-]{1,100}){0,20}\]" + _GLUED)
_LIST_MARKS: Final = re.compile(r"^[ \t]*(?:[-*•–>#]+|\d{1,3}[.)])[ \t]+", re.MULTILINE)
_CLOSING: Final = r"[\"'”’»)\]]{0,3}"
_ENDS: Final = re.compile(
    r"(?P<question>\?(?=[\s\"'”’»)\]?!]|$)|[？؟])"  # not in an address
    rf"|(?:(?<=\w{{3}})|(?<=[\d%)\]\"”»’€$£])|(?<=\d \w)|(?<=\d \w\w))\.{{1,5}}{_CLOSING}(?:\s(?!\s*[a-zà-ÿа-я])|$)"
    rf"|[!…]{{1,5}}{_CLOSING}(?:\s|$)"
    r"|[。！।॥۔\n]"
)
"""Where a sentence ends; a full stop after an abbreviation of one or two letters, or in a number, ends none."""


def claims(answer: str) -> Iterator[str]:
    """The sentences that state something, in order; some may have no words."""
    text, start = _without_marks(answer), 0
    for end in _ENDS.finditer(text):
        if end["question"] is None:
            yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def _without_marks(text: str) -> str:
    bare = _CITATIONS.sub(_gap, _RAISED.sub("", text))
    linked = _LINKS.sub(lambda link: f" {link['words']}{_gap(link)}", bare)
    return _LIST_MARKS.sub("", _NAMED_CITATIONS.sub(_gap, linked))


def _gap(mark: re.Match[str]) -> str:
    return "" if mark["glued"] is None else " "
