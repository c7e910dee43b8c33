"""Vectors that OpenInference tells as lists of numbers: that of one text may be a query's, those of many are not."""

import base64
import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from ragvigil_monitor.conventions.provenance import QUERY_VECTOR
from ragvigil_monitor.receiver.draft import Draft
from ragvigil_monitor.receiver.values import plain
from ragvigil_monitor.receiver.vectors import unit_vector

MOST_DIMENSIONS: Final = 16_384
_ENDING: Final = ".embedding.vector"
_VECTOR: Final = re.compile(r"embedding\.embeddings\.\d{1,6}\.embedding\.vector")
_TEXT: Final = re.compile(r"embedding\.embeddings\.\d{1,6}\.embedding\.text")
_NUMBERS: Final = {"double_value", "int_value"}
"""How a number is sent; some senders write whole ones as integers."""


def is_vector(key: str) -> bool:
    """Whether an attribute is the vector of one text."""
    return key.endswith(_ENDING) and _VECTOR.fullmatch(key) is not None


def place_vectors(draft: Draft, vectors: Sequence[KeyValue], *, is_foreign: bool) -> None:
    """Keep the vector of the only text until it is known whether a query was embedded; leave out those of many."""
    if not is_foreign or draft["kind"] != "EMBEDDING":
        draft.rest |= {pair.key: plain(pair.value) for pair in vectors}
        return
    draft.rest.pop(QUERY_VECTOR, None)
    if len(vectors) == 1 and sum(_TEXT.fullmatch(name) is not None for name in draft.rest) <= 1:
        _place(draft, vectors[0].value)


def _place(draft: Draft, sent: AnyValue) -> None:
    numbers = _numbers(sent)
    unit = None if numbers is None else unit_vector(np.array(numbers, np.float64))
    if unit is None:
        draft.flaws.add("bad_vector")
    else:
        norm, halves = unit
        draft.rest[QUERY_VECTOR] = {"norm": norm, "unit_f16": base64.b64encode(halves).decode()}


def _numbers(sent: AnyValue) -> list[float] | None:
    """None for what is no list of numbers, or too long a one."""
    values = sent.array_value.values
    if not 0 < len(values) <= MOST_DIMENSIONS or {value.WhichOneof("value") for value in values} - _NUMBERS:
        return None
    return [value.double_value if value.HasField("double_value") else float(value.int_value) for value in values]
