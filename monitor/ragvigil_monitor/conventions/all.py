"""Every convention that is read, in order of preference."""

from typing import Final

from ragvigil_monitor.conventions.convention import Attributes, Convention
from ragvigil_monitor.conventions.genai import GENAI
from ragvigil_monitor.conventions.openinference import OPENINFERENCE
from ragvigil_monitor.conventions.openllmetry import OPENLLMETRY
from ragvigil_monitor.conventions.texts import first_text

CONVENTIONS: Final[tuple[Convention, ...]] = (OPENINFERENCE, OPENLLMETRY, GENAI)

_QUESTIONS: Final = [place for each in CONVENTIONS for place in each.questions]
_ANSWERS: Final = [place for each in CONVENTIONS for place in each.answers]
_SESSIONS: Final = [name for each in CONVENTIONS for name in each.sessions]
_USERS: Final = [name for each in CONVENTIONS for name in each.users]


def question_of(attributes: Attributes) -> str | None:
    """What was asked, as far as a span tells."""
    return first_text(_QUESTIONS, attributes)


def answer_of(attributes: Attributes) -> str | None:
    """What was answered, as far as a span tells."""
    return first_text(_ANSWERS, attributes)


def session_of(attributes: Attributes) -> str | None:
    """The conversation, as far as a span tells."""
    return _first(_SESSIONS, attributes)


def user_of(attributes: Attributes) -> str | None:
    """The user, as far as a span tells."""
    return _first(_USERS, attributes)


def _first(names: list[str], attributes: Attributes) -> str | None:
    values = (attributes.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), None)
