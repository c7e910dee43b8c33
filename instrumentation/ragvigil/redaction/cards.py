"""Payment card numbers: 13 to 19 digits, issued under a known prefix, with a right check digit (ISO/IEC 7812, Luhn)."""

import re
from itertools import accumulate, pairwise
from typing import Final

from ragvigil.redaction.digits import GROUP, RUN, ascii_digits

PLACEHOLDER: Final = "[card]"

_PREFIX: Final = re.compile(r"4|5[0-8]|2(?:20[0-4]|2[2-9]|[3-6]|7[01]|720)|3(?:[47]|0[0-5]|[689]|5)|6|8[16]")
_LETTER: Final = re.compile("[A-Za-z_]")
_DOUBLED: Final = (0, 2, 4, 6, 8, 1, 3, 5, 7, 9)
_LENGTHS: Final = range(13, 20)


def redacted(text: str) -> str:
    """The text with every number replaced, whatever other digits stand beside it."""
    return RUN.sub(_in_run, text)


def _in_run(run: re.Match[str]) -> str:
    text = run.group()
    groups = [(group.start(), group.end()) for group in GROUP.finditer(text)]
    if _LETTER.match(run.string, run.end()) is not None:
        groups.pop()  # it goes on as something else, an id for example
    parts: list[str] = []
    done = first = 0
    while first < len(groups):
        last = _last_of_card(text, groups, first)
        if last is not None:
            parts += (text[done : groups[first][0]], PLACEHOLDER)
            done, first = groups[last][1], last
        first += 1
    return "".join([*parts, text[done:]])


def _last_of_card(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    """The last group of the number that begins with this one; None where none does."""
    nearby = groups[first : first + _MOST_GROUPS]
    lengths = [end - begin for begin, end in nearby]
    if lengths[0] < _LEAST_IN_GROUP:
        return None
    for count, total in reversed(list(enumerate(accumulate(lengths)))):
        if (
            total in _LENGTHS
            and _is_grouped(lengths[: count + 1])
            and is_card(ascii_digits(text[nearby[0][0] : nearby[count][1]]))
        ):
            return first + count
    return None


def _is_grouped(lengths: list[int]) -> bool:
    """Whether people write a card number in such groups: of four or more, the last may be shorter."""
    return all(length >= _LEAST_IN_GROUP for length in lengths[:-1])


def is_card(digits: str) -> bool:
    """Whether digits have a card's prefix, are not all the same, and their check digit is right."""
    if _PREFIX.match(digits) is None or all(one == other for one, other in pairwise(digits)):
        return False
    numbers = [int(digit) for digit in reversed(digits)]
    return (sum(numbers[::2]) + sum([_DOUBLED[number] for number in numbers[1::2]])) % 10 == 0


_LEAST_IN_GROUP: Final = 4
_MOST_GROUPS: Final = 5
