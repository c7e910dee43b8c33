"""Collects the attributes of one span, in order and checked."""

import json
from collections.abc import Iterable, Sequence
from typing import Final

from ragvigil import attributes as names
from ragvigil.documents import Documents
from ragvigil.encoding import wire
from ragvigil.encoding.documents import Scored, flattened
from ragvigil.encoding.numbers import as_number
from ragvigil.guard import GUARD

compact: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
"""A value as compact JSON text; raises ValueError for what JSON cannot say."""
_EXACT_IN_DOUBLE: Final = 1 << 53


class AttributeWriter:
    """Appends attributes; a value of the wrong kind is left out, counted in `dropped` and told once.

    `written` are the bytes of a `Span` message that hold them.
    """

    __slots__ = ("dropped", "kind", "written")

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.dropped = 0
        self.written: list[bytes] = []

    def text(self, value: object, *keys: str) -> None:
        """Write text."""
        if isinstance(value, str):
            for key in keys:
                self.written.append(wire.text_attribute(wire.KEY_HEADS[key], value))
        else:
            self._refuse(value, "text", keys)

    def integer(self, value: object, *keys: str) -> None:
        """Write a whole number, also one of another library."""
        if type(value) is int and -_EXACT_IN_DOUBLE <= value <= _EXACT_IN_DOUBLE:
            self._write(wire.integer(value), keys)
            return
        number = as_number(value)
        if number is not None and number == int(number) and abs(number) < 1 << 63:
            self._write(wire.integer(int(number)), keys)
        else:
            self._refuse(value, "a whole number", keys)

    def double(self, value: object, *keys: str) -> None:
        """Write a finite number, also one of another library."""
        number = as_number(value)
        if number is not None:
            self._write(wire.double(number), keys)
        else:
            self._refuse(value, "a finite number", keys)

    def boolean(self, value: object, *keys: str) -> None:
        """Write true or false."""
        if isinstance(value, bool):
            self._write(wire.boolean(value), keys)
        else:
            self._refuse(value, "true or false", keys)

    def documents(self, documents: Scored, prefix: str) -> None:
        """Write documents as OpenInference flattens them, `<prefix>.<i>.document.{id,score}`."""
        self.written.append(flattened(documents, prefix))

    def contents(self, documents: Documents, prefix: str) -> None:
        """Write texts of documents beside `documents`, `<prefix>.<i>.document.content`."""
        texts = documents.texts or ()
        if len(texts) != len(documents.ids):
            self.refuse(f"{prefix} have no texts: their number differs from that of the ids")
            return
        for rank, text in enumerate(texts):
            if isinstance(text, str):
                self.text(text, f"{prefix}.{rank}.{names.DOCUMENT_CONTENT}")
            elif text is not None:
                self.refuse(f"a text in {prefix} is not recorded: expected text, got {text.__name__}")

    def raw(self, value: bytes, key: str) -> None:
        """Write bytes."""
        self.written.append(wire.attribute(key, wire.raw(value)))

    def texts(self, values: Iterable[str], key: str) -> None:
        """Write a list of texts; an empty list is written too: no documents is not the same as nothing known."""
        self.written.append(wire.attribute(key, wire.array([wire.text(value) for value in values])))

    def json(self, value: object, *keys: str) -> None:
        """Write compact JSON text."""
        self.text(compact(value), *keys)

    def refuse(self, problem: str) -> None:
        """Count a fact that cannot be written, and say so once."""
        self.dropped += 1
        GUARD.report(problem)

    def _write(self, value: bytes, keys: Iterable[str]) -> None:
        for key in keys:
            self.written.append(wire.attribute(key, value))

    def _refuse(self, value: object, expected: str, keys: Sequence[str]) -> None:
        self.refuse(f"{keys[0]} is not recorded: expected {expected}, got {type(value).__name__}")
