"""What a convention of other people's spans is made of."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Attributes: TypeAlias = Mapping[str, object]
Event: TypeAlias = Mapping[str, object]
"""`name`, `time_unix_nano`, and the event's attributes beside them."""
Text: TypeAlias = Callable[[Attributes], str | None]


@dataclass(frozen=True, slots=True)
class Found:
    """What a search returned, best first. ids: None for a document that has none; scores: None where unknown."""

    ids: Sequence[str | None]
    scores: Sequence[float | None]
    score_kind: str | None = None


def _nothing(*_: object) -> None:
    """What a convention says that does not say it."""


@dataclass(frozen=True, slots=True)
class Convention:
    """How to read spans of one convention.

    columns: attribute to column of `spans`, in order of preference. kinds: attribute, and which of its values is which
    OpenInference kind, in order of preference; kind_of, by name and attributes of a span, is asked after them.
    first_token_events: names of the event at the first streamed part. documents: of a search, by attributes and events.
    filters: by attributes the filter in its own language and the dialect that reads it.
    questions, answers: where the texts of an answer stand, the best place first. sessions, users: attributes.
    """

    columns: Mapping[str, str]
    kinds: Sequence[tuple[str, Mapping[str, str]]] = ()
    kind_of: Callable[[str, Attributes], str | None] = _nothing
    first_token_events: frozenset[str] = frozenset()
    documents: Callable[[Attributes, Sequence[Event]], Found | None] = _nothing
    filters: Callable[[Attributes], tuple[str, object] | None] = _nothing
    questions: Sequence[Text] = ()
    answers: Sequence[Text] = ()
    sessions: Sequence[str] = ()
    users: Sequence[str] = ()
