"""One recorded value under one mode: the texts in it, however deep, as they may leave."""

from collections.abc import Mapping
from typing import Final

from ragvigil.attributes import CONTENT_HMAC_PREFIX
from ragvigil.encoding.numbers import as_number
from ragvigil.predicates.roles import RECORDS
from ragvigil.rare import Value
from ragvigil.redaction.content import Mode
from ragvigil.redaction.hashes import Hashes
from ragvigil.redaction.texts import Texts

_BYTES: Final = "surrogateescape"
_NUMBERS: Final = (bool, int, float, type(None))


class Contents:
    """Applies a mode to values; a number, also one of another library, is no text and always stays."""

    def __init__(self, texts: Texts, hashes: Hashes) -> None:
        self.texts = texts
        self.hashes = hashes

    def kept(self, mode: Mode, value: object) -> object | None:
        """What of a value stays in its place; None for nothing."""
        if mode == "full":
            return value if self.texts.pass_as_they_are else self._redacted(value)
        return value if isinstance(value, _NUMBERS) else as_number(value)

    def hashed(self, mode: Mode, field: str, value: object) -> dict[str, Value]:
        """The attribute that stands for a value elsewhere: its hash, where that is the mode."""
        if mode != "hashed" or not isinstance(value, str | bytes):
            return {}
        text = value if isinstance(value, str) else value.decode("utf-8", _BYTES)
        return {f"{CONTENT_HMAC_PREFIX}{field}": self.hashes.of(field, text)}

    def identifier(self, mode: Mode, field: str, value: object) -> object | None:
        """An identifier, which redactors do not see, as it is, hashed in its place, or None."""
        if mode == "none":
            return None
        return self.hashes.of(field, value) if mode == "hashed" and isinstance(value, str) else value

    def _redacted(self, value: object) -> object | None:
        """Texts without what redactors take out; one that is withheld leaves an empty place in a list."""
        if isinstance(value, str):
            return self.texts.redacted(value)
        if isinstance(value, bytes):
            return self._redacted_bytes(value)
        if isinstance(value, list | tuple | set | frozenset) and not isinstance(value, RECORDS):
            return tuple([self._item(item) for item in value])
        if isinstance(value, Mapping):
            return {key: self._redacted(item) for key, item in value.items()}
        return value

    def _redacted_bytes(self, value: bytes) -> bytes | None:
        text = value.decode("utf-8", _BYTES)
        redacted = self.texts.redacted(text)
        if redacted is None:
            return None
        return value if redacted == text else redacted.encode("utf-8", "replace")

    def _item(self, value: object) -> object | None:
        redacted = self._redacted(value)
        return "" if redacted is None and value is not None else redacted
