"""Runs of digits, in any script, with what people write between them."""

import re
from typing import Final

SEPARATORS: Final = r" \t\u00a0\u2007\u2009\u202f.()/\u2010-\u2013\uff08\uff09\uff0d-"
RUN: Final = re.compile(rf"[+(\uff0b\uff08\d][+\uff0b]?+(?:[{SEPARATORS}]{{0,3}}\d){{6,}}+")
"""Six digits or more, and a sign or another digit before, with at most three separators between two of them.

It begins with a class of characters, so that texts without digits are passed over quickly.
"""
GROUP: Final = re.compile(r"\d+")


def ascii_digits(text: str) -> str:
    """The digits of any script as 0 to 9, without what is between them."""
    return "".join(GROUP.findall(with_ascii_digits(text)))


def with_ascii_digits(text: str) -> str:
    """The text with digits of any script as 0 to 9, each in its place."""
    if text.isascii():
        return text
    return "".join([str(int(character)) if character.isdecimal() else character for character in text])
