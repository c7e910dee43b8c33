"""Documents of a stage: ids and scores as one JSON list, best first."""

import re
from collections.abc import Iterable
from typing import Final

from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import DOCUMENTS_WITHOUT_ID
from ragvigil_monitor.receiver.draft import Draft
from ragvigil_monitor.receiver.values import json_text, number, parsed, plain

Flattened = list[KeyValue]
"""Attributes such as `retrieval.documents.3.document.id`."""
_Entries = dict[int, dict[str, object]]

_PREFIXES: Final = (names.RETRIEVAL_DOCUMENTS, names.RERANKER_INPUT_DOCUMENTS, names.RERANKER_OUTPUT_DOCUMENTS)
_SUFFIXES: Final = (names.DOCUMENT_ID, names.DOCUMENT_SCORE)
_RANK_AND_PART: Final = re.compile(r"\.(?P<rank>\d{1,6})\.document\.(?P<part>id|score)")

_SCORES: Final = {int, float, type(None)}

_SOURCES: Final = {
    "input_documents": ((names.STAGE_INPUT_DOCUMENTS,), (names.RERANKER_INPUT_DOCUMENTS,)),
    "output_documents": (
        (names.STAGE_OUTPUT_DOCUMENTS, names.GENAI_RETRIEVAL_DOCUMENTS),
        (names.RETRIEVAL_DOCUMENTS, names.RERANKER_OUTPUT_DOCUMENTS),
    ),
}
"""Per column the JSON attributes, then the flattened lists, in order of preference."""


USUALLY_FLATTENED: Final = frozenset(
    f"{prefix}.{rank}.{suffix}" for prefix in _PREFIXES for rank in range(100) for suffix in _SUFFIXES
)
"""Most attributes of a search are among these; to look them up is faster than to compare their ends."""


def is_flattened(key: str) -> bool:
    """Whether an attribute is the id or score of one document in a flattened list."""
    return key.endswith(_SUFFIXES) and key.startswith(_PREFIXES)


def place_documents(draft: Draft, flattened: Flattened) -> None:
    """Fill both document columns, from JSON where it is readable, else from flattened attributes.

    Where the JSON is there, flattened ids and scores only repeat it and are not read.
    """
    for column, (json_names, list_names) in _SOURCES.items():
        found = _from_json(draft, json_names)
        if found is None and flattened:
            found = next((listed for name in list_names if (listed := _from_list(draft, flattened, name))), None)
        draft[column] = found


def _from_json(draft: Draft, json_names: Iterable[str]) -> str | None:
    sent: object = None
    chosen: str | None = None
    for name in json_names:
        if chosen is None:
            sent = draft.rest.get(name)
            chosen = draft.take(name, document_list, "documents")
            if chosen is not None and chosen != sent:
                draft.rest[name] = sent  # the entries held more than ids and scores
        elif draft.rest.get(name) == sent:
            del draft.rest[name]
    return chosen


def document_list(value: object) -> str | None:
    """Ids and scores of a JSON list of documents; None when it is none."""
    entries = parsed(value)
    if not isinstance(entries, list):
        return None
    if all(_is_exact(entry) for entry in entries):
        return str(value)
    readable = [_exact(entry) for entry in entries if isinstance(entry, dict) and entry.get("id") is not None]
    return json_text(readable) if len(readable) == len(entries) else None


def _is_exact(entry: object) -> bool:
    return (
        isinstance(entry, dict)
        and len(entry) == 2
        and isinstance(entry.get("id"), str)
        and type(entry.get("score", "")) in _SCORES
    )


def _exact(entry: dict[str, object]) -> dict[str, object]:
    return {"id": str(entry["id"]), "score": number(entry.get("score"))}


def _unflatten(draft: Draft, flattened: Flattened, name: str) -> _Entries:
    entries: _Entries = {}
    for pair in flattened:
        if not pair.key.startswith(name):
            continue
        match = _RANK_AND_PART.fullmatch(pair.key, len(name))
        if match is None:
            draft.rest[pair.key] = plain(pair.value)
        else:
            entries.setdefault(int(match["rank"]), {})[match["part"]] = plain(pair.value)
    return entries


def _from_list(draft: Draft, flattened: Flattened, name: str) -> str | None:
    entries = _unflatten(draft, flattened, name)
    anonymous = {rank: entry for rank, entry in entries.items() if entry.get("id") is None}
    for rank, entry in anonymous.items():
        draft.flaws.add("document_without_id")
        draft.rest |= {f"{name}.{rank}.document.{part}": value for part, value in entry.items()}
    if 0 < len(anonymous) < len(entries):
        draft.rest[DOCUMENTS_WITHOUT_ID] = len(anonymous)
    identified = [_exact(entry) for rank, entry in sorted(entries.items()) if rank not in anonymous]
    return json_text(identified) if identified else None
