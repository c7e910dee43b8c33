"""Which content leaves in full, which hashed, which not at all: what `configure(content=...)` says, checked."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias, cast, get_args

Mode: TypeAlias = Literal["full", "hashed", "none"]
"""In full (less what redactors take out), as a keyed hash that keeps equality, or not at all."""
Content: TypeAlias = Mode | Mapping[str, Mode]
"""One mode for all content, or modes by field; `default` is for the content that is not named."""
Modes: TypeAlias = Mapping[str, Mode]
"""A mode for every field."""

DEFAULT: Final = "default"
_MODES: Final[tuple[Mode, ...]] = get_args(Mode)


@dataclass(frozen=True, slots=True)
class Field:
    """One kind of content: its modes, whether it is content or only an identifier, and the mode if nothing is said.

    One mode for all is meant for content; identifiers are named one by one.
    """

    is_content: bool = True
    modes: tuple[Mode, ...] = _MODES
    usual: Mode = "full"

    def under(self, default: Mode) -> Mode:
        """The mode where only a default is said; what cannot be hashed is left out instead."""
        if not self.is_content:
            return self.usual
        return default if default in self.modes else "none"


FIELDS: Final[Mapping[str, Field]] = {
    "question": Field(),
    "answer": Field(),
    "query": Field(),
    "input": Field(),
    "output": Field(),
    "document_texts": Field(),
    "filter_values": Field(),
    "attributes": Field(),
    "events": Field(),
    "exceptions": Field(),
    "query_vector": Field(modes=("full", "none")),
    "user_id": Field(is_content=False, usual="hashed"),
    "experiment_unit": Field(is_content=False, usual="hashed"),
    "session_id": Field(is_content=False),
    "intent": Field(is_content=False),
    "slices": Field(is_content=False),
    "document_ids": Field(is_content=False, modes=("full", "hashed")),
    "feedback_id": Field(is_content=False, modes=("full", "hashed")),
}


def checked_content(content: object) -> Modes:
    """A mode for every field, and for `default`; raises ValueError for what is not valid, naming it."""
    given = {DEFAULT: content} if isinstance(content, str) else content
    if not isinstance(given, Mapping):
        raise ValueError(f"content: got {type(content).__name__}; expected full, hashed, none or a mapping of fields")
    for name, mode in given.items():
        _check(name, mode, DEFAULT if isinstance(content, str) else None)
    said = cast("Mapping[str, Mode]", given)
    default = said.get(DEFAULT, "full")
    fields = {name: said.get(name, field.under(default)) for name, field in FIELDS.items()}
    return MappingProxyType({DEFAULT: default, **fields})


def _check(name: object, mode: object, alone: str | None) -> None:
    if not isinstance(name, str) or (name not in FIELDS and name != DEFAULT):
        raise ValueError(f"content[{name!r}]: there is no such field; known are {', '.join([*FIELDS, DEFAULT])}")
    modes = FIELDS[name].modes if name in FIELDS else _MODES
    if mode not in modes:
        place = "content" if alone else f"content[{name!r}]"
        raise ValueError(f"{place}: got {mode!r}; expected {', '.join(modes[:-1])} or {modes[-1]}")
