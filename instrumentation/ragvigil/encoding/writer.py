"""Collects the attributes of one span, in order and checked."""

import json
import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from ragvigil import attributes as names
from ragvigil.documents import Documents
from ragvigil.encoding.values import Pairs, well_formed
from ragvigil.guard import GUARD

Scored: TypeAlias = list[tuple[str, float | None]]
"""Documents as they are written: an id and perhaps a score each, best first."""

_COMPACT: Final = json.JSONEncoder(separators=(",", ":"), allow_nan=False)


class AttributeWriter:
    """Appends attributes; a value of the wrong kind is left out, counted in `dropped` and told once."""

    __slots__ = ("_into", "dropped", "kind")

    def __init__(self, kind: str, into: Pairs) -> None:
        self.kind = kind
        self.dropped = 0
        self._into = into

    def text(self, value: object, *keys: str) -> None:
        """Write text."""
        if isinstance(value, str):
            text = well_formed(value)
            for key in keys:
                self._into.add(key=key).value.string_value = text
        else:
            self._refuse(value, "text", keys)

    def integer(self, value: object, *keys: str) -> None:
        """Write a whole number, also one of another library."""
        number = as_number(value)
        if number is not None and number == int(number) and abs(number) < 1 << 63:
            for key in keys:
                self._into.add(key=key).value.int_value = int(number)
        else:
            self._refuse(value, "a whole number", keys)

    def double(self, value: object, *keys: str) -> None:
        """Write a finite number, also one of another library."""
        number = as_number(value)
        if number is not None:
            for key in keys:
                self._into.add(key=key).value.double_value = number
        else:
            self._refuse(value, "a finite number", keys)

    def boolean(self, value: object, *keys: str) -> None:
        """Write true or false."""
        if isinstance(value, bool):
            for key in keys:
                self._into.add(key=key).value.bool_value = value
        else:
            self._refuse(value, "true or false", keys)

    def documents(self, documents: Scored, prefix: str) -> None:
        """Write documents as OpenInference flattens them, `<prefix>.<i>.document.{id,score}`."""
        for (id_key, score_key), (identity, score) in zip(_flat_keys(prefix, len(documents)), documents, strict=True):
            self._into.add(key=id_key).value.string_value = identity
            if score is not None:
                self._into.add(key=score_key).value.double_value = score

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
        self._into.add(key=key).value.bytes_value = value

    def texts(self, values: Iterable[str], key: str) -> None:
        """Write a list of texts; an empty list is written too: no documents is not the same as nothing known."""
        array = self._into.add(key=key).value.array_value
        array.SetInParent()
        for value in values:
            array.values.add().string_value = well_formed(value)

    def json(self, value: object, *keys: str) -> None:
        """Write compact JSON text."""
        self.text(_COMPACT.encode(value), *keys)

    def refuse(self, problem: str) -> None:
        """Count a fact that cannot be written, and say so once."""
        self.dropped += 1
        GUARD.report(problem)

    def _refuse(self, value: object, expected: str, keys: Sequence[str]) -> None:
        self.refuse(f"{keys[0]} is not recorded: expected {expected}, got {type(value).__name__}")


def as_number(value: object) -> float | None:
    """A finite double from a number of any library; None for anything else, bool included."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, str | bytes | bool) or not hasattr(value, "__float__"):
        return None
    try:
        number = float(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def scored(documents: Documents) -> Scored:
    """Ids as text, each with its score; None for one that is missing or no finite number."""
    ids = [well_formed(str(identity)) for identity in documents.ids]
    scores = [None] * len(ids) if documents.scores is None else map(as_number, documents.scores)
    return list(zip(ids, scores, strict=True))


@lru_cache(maxsize=64)
def _flat_keys(prefix: str, count: int) -> list[tuple[str, str]]:
    return [(f"{prefix}.{i}.{names.DOCUMENT_ID}", f"{prefix}.{i}.{names.DOCUMENT_SCORE}") for i in range(count)]
