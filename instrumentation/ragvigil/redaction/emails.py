"""E-mail addresses, in any script.

From each @ the name is looked for to the left and the domain to the right: no character is looked at more than twice.
"""

import re
from typing import Final

PLACEHOLDER: Final = "[e-mail]"

_UNSPACED: Final = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
"""Scripts whose words stand next to others without a space: an address ends where they begin, unless it is in them."""
_AT: Final = re.compile("[@\uff20]")
_NAME: Final = re.compile(rf"(?:[^\W{_UNSPACED}]|[.!#$%'*+^`{{|}}~-])++")
_UNSPACED_NAME: Final = re.compile(rf"[{_UNSPACED}]++")
_QUOTED: Final = re.compile(r'"[^"\n]{1,64}+"')
_DOMAIN: Final = re.compile(rf"(?:[^\W{_UNSPACED}]|[.-])++")
_UNSPACED_DOMAIN: Final = re.compile(rf"(?:[\w{_UNSPACED}]|[.-])++")
_ADDRESS: Final = re.compile(r"\[[0-9A-Fa-f:.]{2,45}+\]")


def redacted(text: str) -> str:
    """The text with every address replaced."""
    if "@" not in text and "\uff20" not in text:
        return text
    parts: list[str] = []
    done = after = 0
    for at in _AT.finditer(text):
        begin = _name_begin(text, after, at.start()) if after < at.start() else at.start()
        end = _domain_end(text, at.end()) if begin < at.start() else at.end()
        after = at.end()
        if end > at.end():
            parts += (text[done:begin], PLACEHOLDER)
            done = after = end
    return "".join([*parts, text[done:]])


def _name_begin(text: str, after: int, at: int) -> int:
    """Where the name before an @ begins; `at` for none."""
    backwards = text[after:at][::-1]
    for form in (_QUOTED, _NAME, _UNSPACED_NAME):
        found = form.match(backwards)
        if found is not None:
            return at - len(found.group().rstrip(".'"))
    return at


def _domain_end(text: str, begin: int) -> int:
    """Where the domain after an @ ends: at the end of its last label of letters, not the first; else `begin`."""
    literal = _ADDRESS.match(text, begin)
    if literal is not None:
        return literal.end()
    found = _DOMAIN.match(text, begin) or _UNSPACED_DOMAIN.match(text, begin)
    labels = [] if found is None else found.group().split(".")
    end, position = begin, begin
    for number, label in enumerate(labels):
        if not label:
            break
        position += len(label)
        if number and len(label) > 1 and not label[-1].isdigit():
            end = position
        position += 1
    return end
