"""Text of any language as comparable pieces: stems of words, character bigrams, numbers.

Case, accents and punctuation are folded. Scripts that are written without spaces (and Korean, whose words carry their
particles) are cut into overlapping pairs of characters; other words into their first six characters, which takes off
most endings.

Source: McNamee, Nicholas & Mayfield, Addressing morphological variation in alphabetic languages, SIGIR 2009 (truncated
words); Foo & Li, Chinese word segmentation and its effect on information retrieval, Inf. Proc. & Management 40 (2004),
and Lee & Ahn, Using n-grams for Korean text retrieval, SIGIR 1996 (bigrams).
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

STEM_LENGTH: Final = 6
SUPERSCRIPTS: Final = "\u00b2\u00b3\u00b9\u2070-\u209c"
"""What is raised or lowered marks a note more often than it is a number."""

_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff\U00020000-\U0003fffd"
)
"""Thai, Lao, Burmese, Khmer, kana, Han, Hangul."""
_WITH_MARKS: Final = "\u0900-\u0963\u0966-\u0dff\u0f00-\u0fbc"
"""Scripts of India and Tibet, whose vowel signs are no letters to `re`; without the dandas, which end a sentence."""
_PIECES: Final = re.compile(
    r"(?P<number>\d+(?:[.,]\d+)*)"
    rf"|(?P<unspaced>(?:(?!\d)[{_UNSPACED}])+)"
    rf"|(?P<word>(?:[^\W\d_{_UNSPACED}]|(?!\d)[{_WITH_MARKS}])+)"
)
_RAISED: Final = re.compile(f"[{SUPERSCRIPTS}]")
_DIACRITICS: Final = re.compile("[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670\u200b-\u200f\u00ad]")
"""Accents of Latin, Greek and Cyrillic; Hebrew points; Arabic vowels; what is invisible."""
_FOLDED_AT_ONCE: Final = 200
"""Normalising takes time quadratic in a run of combining marks."""
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


def folded(text: str) -> str:
    """The text without case, accents and variants of width."""
    if text.isascii():
        return text.lower()
    return "".join(_fold(text[at : at + _FOLDED_AT_ONCE]) for at in range(0, len(text), _FOLDED_AT_ONCE))


def _fold(text: str) -> str:
    bare = _DIACRITICS.sub("", unicodedata.normalize("NFKD", _RAISED.sub("", text)))
    return unicodedata.normalize("NFKC", bare).casefold()


def pieces(text: str) -> Iterator[str]:
    """The comparable pieces of a text that is already folded, in order; a number is one whose first is a digit."""
    for match in _PIECES.finditer(text):
        found = match[0]
        if match.lastgroup == "word":
            yield found[:STEM_LENGTH]
        elif match.lastgroup == "number":
            yield from _numbers(found)
        else:
            yield from (found[at : at + 2] for at in range(max(1, len(found) - 1)))


def _numbers(written: str) -> list[str]:
    """`1,000`, `1.000` and `1000` are the same, and so are `2.5` and `2,50`; a date is three numbers."""
    digits = "".join(str(unicodedata.decimal(each, each)) for each in written)
    if _THOUSANDS.fullmatch(digits):
        return [re.sub("[.,]", "", digits)]
    parts = re.split("[.,]", digits)
    if len(parts) != 2:
        return parts
    whole, decimals = parts[0], parts[1].rstrip("0")
    return [f"{whole}.{decimals}" if decimals else whole]
