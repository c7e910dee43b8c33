"""Attributes in which the receiver keeps what it found out, where a span brings them itself.

Spans that were exported bring back their own. Anybody can write the same names, so only what the receiver could have
written is taken.
"""

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from ragvigil_monitor.conventions import provenance
from ragvigil_monitor.receiver.foreign import STAGE_OF_KIND
from ragvigil_monitor.receiver.values import amount, count

MOST_DOCUMENTS: Final = 1_000_000
"""No request holds more: `MAX_PARTS`."""
_MOST_VECTOR_CHARACTERS: Final = 65_536
_HALF: Final = np.dtype("<f2")


def drop_implausible(attributes: dict[str, object]) -> bool:
    """Remove those that the receiver cannot have written; whether there were any."""
    sent = [name for name in _PLAUSIBLE if name in attributes and not _PLAUSIBLE[name](attributes[name])]
    for name in sent:
        del attributes[name]
    return bool(sent)


def _is_name(value: object) -> bool:
    return isinstance(value, str) and value != ""


def _is_true(value: object) -> bool:
    return value is True


def _is_entry(value: object) -> bool:
    return value in ("SERVER", "CONSUMER")


def _is_number_of_documents(value: object) -> bool:
    return type(value) is int and 0 < value <= MOST_DOCUMENTS


def _is_usage(value: object) -> bool:
    """Tokens and cost by column."""
    fits = {**dict.fromkeys(("input_tokens", "output_tokens", "cached_tokens"), count), "cost_usd": amount}
    return isinstance(value, dict) and all(name in fits and fits[name](value[name]) is not None for name in value)


def _are_usage_columns(value: object) -> bool:
    return isinstance(value, list) and _is_usage({str(name): 0 for name in value})


def _is_stage(value: object) -> bool:
    return isinstance(value, str) and value in STAGE_OF_KIND.values()


def _are_events(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) and _is_text(each.get("name")) for each in value)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_vector(value: object) -> bool:
    if not isinstance(value, dict):
        return False
    if value.keys() == {"dimension"}:
        return bool(count(value["dimension"]))
    return value.keys() == {"norm", "unit_f16"} and bool(amount(value["norm"])) and _is_unit(value["unit_f16"])


def _is_unit(value: object) -> bool:
    """Base64 of finite float16."""
    if not isinstance(value, str) or len(value) > _MOST_VECTOR_CHARACTERS:
        return False
    try:
        halves = base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return False
    whole = bool(halves) and len(halves) % _HALF.itemsize == 0
    return whole and bool(np.isfinite(np.frombuffer(halves, _HALF)).all())


_PLAUSIBLE: Final[Mapping[str, Callable[[object], bool]]] = {
    provenance.SCOPE_NAME: _is_name,
    provenance.SCOPE_VERSION: _is_name,
    provenance.PARENT_IS_REMOTE: _is_true,
    provenance.ENTRY_KIND: _is_entry,
    provenance.DOCUMENTS_WITHOUT_ID: _is_number_of_documents,
    provenance.QUERY_VECTOR: _is_vector,
    provenance.NO_STAGE: _is_true,
    provenance.REPEATED_USAGE: _is_usage,
    provenance.TAKEN_USAGE: _are_usage_columns,
    provenance.REPEATED_STAGE: _is_stage,
    provenance.EVENTS: _are_events,
}
