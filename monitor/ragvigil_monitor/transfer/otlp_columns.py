"""Columns of spans and answers as the attributes that fill them.

An attribute that did not fit its column is among the others of its span. It stays there, and the column is told by the
next attribute that fills it too.
"""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Final

import orjson

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import (
    ANSWER_QUESTION,
    ANSWER_SESSION,
    ANSWER_TEXT,
    ANSWER_USER,
    DOCUMENTS_WITHOUT_ID,
)
from ragvigil_monitor.receiver.columns import FIRST_CHOICE, SECOND_CHOICE
from ragvigil_monitor.receiver.documents import document_list, is_flattened
from ragvigil_monitor.telemetry_tables import SPANS

Attributes = dict[str, object]


def _names_of_columns() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for choice in (FIRST_CHOICE, SECOND_CHOICE):
        for attribute, (position, _) in choice.items():
            found.setdefault(SPANS.names[position], []).append(attribute)
    return found


_OF_SPANS: Final = _names_of_columns()
_OF_ANSWERS: Final[dict[str, tuple[str, ...]]] = {
    "answer_id": (names.ANSWER_ID,),
    "session_id": (names.SESSION_ID, names.CONVERSATION_ID),
    "user_id": (names.ENDUSER_PSEUDO_ID, names.USER_ID),
    "intent": (names.INTENT,),
    "question": (names.INPUT_VALUE, ANSWER_QUESTION),
    "answer": (names.OUTPUT_VALUE, ANSWER_TEXT),
    "citations": (names.CITATIONS,),
    "refusal": (names.REFUSAL,),
    "confidence": (names.CONFIDENCE,),
    "regeneration_of": (names.REGENERATION_OF,),
    "sampling_probability": (names.SAMPLING_PROBABILITY,),
}
_KEPT_BESIDE: Final = {"session_id": ANSWER_SESSION, "user_id": ANSWER_USER}
_DOCUMENTS: Final = {
    "input_documents": ((names.STAGE_INPUT_DOCUMENTS,), (names.RERANKER_INPUT_DOCUMENTS,)),
    "output_documents": (
        (names.STAGE_OUTPUT_DOCUMENTS, names.GENAI_RETRIEVAL_DOCUMENTS),
        (names.RETRIEVAL_DOCUMENTS, names.RERANKER_OUTPUT_DOCUMENTS),
    ),
}
"""Per column the JSON attributes, then the flattened lists, as the receiver prefers them."""


def span_attributes(row: Mapping[str, Any], others: Attributes) -> Attributes:
    """What the columns of a span say."""
    seconds = None if row["time_to_first_token_ms"] is None else _seconds(row["time_to_first_token_ms"])
    values = {**row, "time_to_first_token_ms": seconds}
    told = dict(_told(values, _OF_SPANS, others))
    for column in _DOCUMENTS:
        told |= _documents(column, row[column], others)
    return told


def answer_attributes(row: Mapping[str, Any], others: Attributes) -> Attributes:
    """What the columns of an answer say."""
    slices = orjson.loads(row["slices"] or "{}")
    certain = {**row, "sampling_probability": None} if row["sampling_probability"] == 1.0 else row
    told = dict(_told(certain, _OF_ANSWERS | _apart(others), others))
    return told | {f"{names.SLICE_PREFIX}{name}": value for name, value in slices.items()}


def _apart(others: Attributes) -> dict[str, tuple[str, ...]]:
    """Columns to tell apart, since one of the attributes that fill them is kept as the span was sent with it."""
    return {
        column: (apart,)
        for column, apart in _KEPT_BESIDE.items()
        if any(isinstance(others.get(name), str) for name in _OF_ANSWERS[column])
    }


def _told(
    values: Mapping[str, Any], known: Mapping[str, Iterable[str]], others: Attributes
) -> Iterator[tuple[str, object]]:
    for column, attributes in known.items():
        attribute = next((name for name in attributes if name not in others), None)
        if values[column] is not None and attribute is not None:
            yield attribute, values[column]


def _seconds(milliseconds: float) -> float:
    """The number of seconds that gives the very same number of milliseconds, if there is one."""
    near = milliseconds / 1000.0
    candidates = (near, math.nextafter(near, math.inf), math.nextafter(near, -math.inf))
    return next((seconds for seconds in candidates if seconds * 1000.0 == milliseconds), near)


def _documents(column: str, stored: str | None, others: Attributes) -> Attributes:
    if stored is None:
        return {}
    json_names, list_names = _DOCUMENTS[column]
    listed = {name: ranks for name in list_names if (ranks := _ranks(name, others))}
    for name in () if listed else json_names:
        if name not in others:
            return {name: stored}
        if document_list(others[name]) is not None:
            return {}  # it holds more than ids and scores, and these too
    chosen = _chosen(list_names, listed, others)
    return _flattened(chosen, stored, listed.get(chosen, set()))


def _chosen(list_names: Sequence[str], listed: Mapping[str, set[str]], others: Attributes) -> str:
    """The list that was read: the last that had documents without an id too, else the first that had only others."""
    *_, last = listed or list_names[:1]
    unlisted = [name for name in list_names if name not in listed]
    is_mixed = len(listed.get(last, ())) == others.get(DOCUMENTS_WITHOUT_ID)
    return unlisted[0] if unlisted and not is_mixed else last


def _ranks(list_name: str, others: Attributes) -> set[str]:
    """The ranks of documents without an id, which are among the others."""
    ranks = (key[len(list_name) + 1 :].partition(".")[0] for key in others if _is_of(list_name, key))
    return {rank for rank in ranks if rank.isdecimal()}


def _is_of(list_name: str, key: str) -> bool:
    return is_flattened(key) and key.startswith(list_name)


def _flattened(list_name: str, stored: str, taken: Collection[str]) -> Attributes:
    """Documents one by one, at ranks that those without an id have left."""
    ranks = (rank for rank in count() if str(rank) not in taken)
    told: Attributes = {}
    for rank, document in zip(ranks, orjson.loads(stored), strict=False):
        told[f"{list_name}.{rank}.{names.DOCUMENT_ID}"] = document["id"]
        if document["score"] is not None:
            told[f"{list_name}.{rank}.{names.DOCUMENT_SCORE}"] = float(document["score"])
    return told
