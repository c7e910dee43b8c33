"""Documents as a reviewer sees them: text under a name that means nothing, in an order that means nothing."""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from ragvigil import attributes as names

LONGEST_TEXT: Final = 100_000
MOST_DOCUMENTS: Final = 100
_LISTS: Final = {
    names.RETRIEVAL_DOCUMENTS: "output_documents",
    names.RERANKER_INPUT_DOCUMENTS: "input_documents",
    names.RERANKER_OUTPUT_DOCUMENTS: "output_documents",
}
"""The flattened lists that may hold texts, and the column that holds their ids, in the same order."""
_CONTENT: Final = re.compile(
    rf"(?P<list>{'|'.join(map(re.escape, _LISTS))})\.(?P<rank>\d{{1,6}})\.{re.escape(names.DOCUMENT_CONTENT)}"
)

Span = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Passage:
    """One document. id: tells nothing of the document, its rank or its source. text: None where none was recorded."""

    id: str
    text: str | None


def passages(document_ids: Iterable[str], spans: Iterable[Span], seed: bytes) -> list[Passage]:
    """The documents with their texts from any of the spans, in an order that depends on the seed alone."""
    texts = texts_by_id(spans)
    shown = (Passage(opaque(seed, id_), cut(texts.get(id_))) for id_ in document_ids)
    return sorted(shown, key=lambda each: each.id)


def opaque(seed: bytes, document_id: str) -> str:
    """The name of a document in one item; without the seed it cannot be led back."""
    return hmac.digest(seed, document_id.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()[:16]


def ids(documents: str | None) -> list[str]:
    """The ids of a column of documents, best first."""
    return [] if documents is None else [str(document["id"]) for document in orjson.loads(documents)]


def attributes_of(span: Span) -> dict[str, Any]:
    """The attributes that have no column."""
    return orjson.loads(span["attributes"]) if span["attributes"] else {}


def cut(text: str | None) -> str | None:
    """At most as much as a page can show."""
    return None if text is None else text[:LONGEST_TEXT]


def texts_by_id(spans: Iterable[Span]) -> dict[str, str]:
    """The texts that spans recorded, by document."""
    found: dict[str, str] = {}
    for span in spans:
        for key, text in attributes_of(span).items():
            match = _CONTENT.fullmatch(key)
            if match is not None and isinstance(text, str):
                listed = ids(span[_LISTS[match["list"]]])
                found |= dict.fromkeys(listed[int(match["rank"]) : int(match["rank"]) + 1], text)
    return found
