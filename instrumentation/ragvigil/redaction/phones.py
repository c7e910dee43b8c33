"""Phone numbers: written with a country code or a trunk zero, in a national form, or after a word that says so."""

import re
from typing import Final

from ragvigil.redaction.digits import RUN, SEPARATORS, ascii_digits, with_ascii_digits

PLACEHOLDER: Final = "[phone]"

_S: Final = f"[{SEPARATORS}]"
_FORMS: Final = (
    # A country code: + or 00, 8 to 15 digits.
    rf"(?:[(\uff08]?[+\uff0b]|(?<!\d)00(?=[1-9 ]))(?:{_S}{{0,3}}\d){{7,15}}",
    # A trunk zero and an area code, then one or more groups.
    r"\(?0[1-9]\d{0,4}(?:\)[ ]?|[ /\u2010-\u2013-]| [/\u2010-\u2013-] )\d{2,8}(?:[ \u2010-\u2013-]\d{2,8}){0,4}",
    # The same with a point between pairs, and without anything between.
    r"0[1-9](?:\.\d{2}){4}",
    r"0[1-9]\d{8,9}",
    # North America.
    rf"(?:1{_S})?(?:\(\d{{3}}\)[ ]?|\d{{3}}[ .\u2010-\u2013-])\d{{3}}[ .\u2010-\u2013-]\d{{4}}",
    # A Chinese mobile number.
    r"1[3-9]\d{9}|1[3-9]\d[ -]\d{4}[ -]\d{4}",
)
_NUMBER: Final = re.compile(rf"(?<![\d.,])(?:{'|'.join(_FORMS)})(?!\d)")
_DATE: Final = re.compile(r"(?:\d{4}([-/. ])\d{1,2}\1\d{1,2}|\d{1,2}([-/. ])\d{1,2}\2(?:19|20)\d{2})(?!\d)")
_LEAST: Final = 8
_MOST: Final = 15
_WORDS: Final = (
    "tel", "phone", "fon", "rufnummer", "handy", "mobil", "móvil", "cell", "call", "llam", "anruf", "ruf ", "fax",
    "whatsapp", "sms", "signal", "тел", "звон", "电话", "電話", "手机", "手機", "携帯", "전화", "هاتف", "جوال", "טלפון",
    "τηλ", "โทร", "फ़ोन", "फोन",
)  # fmt: skip
_BEFORE: Final = 24
"""Characters before a number in which such a word counts."""


def redacted(text: str) -> str:
    """The text with every number replaced."""
    parts: list[str] = []
    done = 0
    for run in RUN.finditer(text):
        parts += (text[done : run.start()], _in_run(text, run))
        done = run.end()
    return "".join([*parts, text[done:]]) if done else text


def _in_run(text: str, run: re.Match[str]) -> str:
    found = run.group()
    before = text[max(0, run.start() - _BEFORE) : run.start()]
    if before[-1:].isascii() and (before[-1:].isalnum() or before[-1:] == "_"):
        return found
    if (
        _LEAST - 1 <= len(ascii_digits(found)) <= _MOST
        and _is_announced(before)
        and not _DATE.match(with_ascii_digits(found))
    ):
        return PLACEHOLDER
    return _without_numbers(found)


def _without_numbers(run: str) -> str:
    parts: list[str] = []
    done = 0
    for number in _NUMBER.finditer(with_ascii_digits(run)):
        if _is_plausible(number.group()):
            parts += (run[done : number.start()], PLACEHOLDER)
            done = number.end()
    return "".join([*parts, run[done:]])


def _is_announced(before: str) -> bool:
    said = before.casefold()
    return any(word in said for word in _WORDS)


def _is_plausible(number: str) -> bool:
    return _LEAST <= len(ascii_digits(number)) <= _MOST and not _DATE.match(number)
