"""Attributes from other code, events, links and status of a span as they may leave."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from ragvigil import attributes as names
from ragvigil.rare import LONGEST_STACKTRACE, Event, Rare, Value, immutable_attributes
from ragvigil.redaction.content import Modes
from ragvigil.redaction.values import Contents

_IDENTIFIERS: Final[Mapping[str, str]] = {
    names.USER_ID: "user_id",
    names.ENDUSER_PSEUDO_ID: "user_id",
    names.ENDUSER_ID: "user_id",
    names.SESSION_ID: "session_id",
    names.CONVERSATION_ID: "session_id",
}
"""Attributes that are identifiers whoever sets them."""
_EXCEPTION_TEXTS: Final = frozenset({names.EXCEPTION_MESSAGE, names.EXCEPTION_STACKTRACE})
_STATUS: Final = "status"


class DetailsRedactor:
    """Applies the modes `attributes`, `events` and `exceptions`; names of attributes and events stay as they are."""

    def __init__(self, modes: Modes, contents: Contents) -> None:
        self._modes = modes
        self._contents = contents

    def redacted(self, rare: Rare) -> Rare:
        """A copy as it may leave; attributes of which nothing may are gone and not counted as dropped.

        The application may write to the span meanwhile, so that its lists are copied before they are gone through.
        """
        attributes = self._redacted(rare.attributes, "attributes")
        description, hashed = self._status(rare.description)
        return replace(
            rare,
            description=description,
            attributes={**attributes, **hashed},
            events=[self._event(event) for event in tuple(rare.events)],
            links=[(context, self._redacted(facts, "events")) for context, facts in tuple(rare.links)],
        )

    def _event(self, event: Event) -> Event:
        return replace(event, attributes=self._redacted(event.attributes, "events"))

    def _status(self, description: str | None) -> tuple[str | None, dict[str, Value]]:
        mode = self._modes["exceptions"]
        kept = self._contents.kept(mode, description)
        hashed = {} if description is None else self._contents.hashed(mode, _STATUS, description)
        return (kept if isinstance(kept, str) else None), hashed

    def _redacted(self, attributes: Mapping[str, Value], usual: str) -> dict[str, Value]:
        found: dict[str, object] = {}
        for key, value in dict(attributes).items():
            found |= self._attribute(key, value, usual)
        return immutable_attributes(found)

    def _attribute(self, key: str, value: Value, usual: str) -> dict[str, object]:
        identifier = _IDENTIFIERS.get(key)
        if identifier is not None:
            mode = self._modes[identifier]
            said = value if mode == "full" else str(value)
            return {key: self._contents.identifier(mode, identifier, said)}
        if key == names.EXCEPTION_STACKTRACE and self._modes["exceptions"] == "full":
            return {key: self._stack(value)}
        if key == names.EXCEPTION_TYPE:
            return {key: value}
        mode = self._modes["exceptions" if key in _EXCEPTION_TEXTS else usual]
        return {key: self._contents.kept(mode, value), **self._contents.hashed(mode, key, value)}

    def _stack(self, value: Value) -> object | None:
        if isinstance(value, str):
            return self._contents.texts.redacted(value, begins_cut=len(value) >= LONGEST_STACKTRACE)
        return self._contents.kept("full", value)
