"""What a reviewer sees of an answer: question, answer, and the documents that the generator saw, in shuffled order."""

import hashlib
import hmac
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

import orjson

from ragvigil import attributes as names
from ragvigil_monitor.store import Store

LONGEST_TEXT: Final = 100_000
_MOST_DOCUMENTS: Final = 100
_MOST_SPANS: Final = 500
_LASTS_AT_MOST: Final = timedelta(hours=1)
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


@dataclass(frozen=True, slots=True)
class Content:
    """question, answer: None where the application did not record them."""

    question: str | None
    answer: str | None
    evidence: list[Passage]


def content_of(store: Store, item: Mapping[str, Any]) -> Content:
    """Read the answer behind an item of `review_item_by_id`; an answer that is no longer stored has no content."""
    where = {"trace_id": item["trace_id"], "span_id": item["span_id"]}
    found = store.rows("answer_to_review", **where, started_at=item["started_at"])
    spans = store.rows(
        "documents_of_answer",
        **where,
        start=item["started_at"],
        end=item["started_at"] + _LASTS_AT_MOST,
        limit=_MOST_SPANS,
    )
    exchange = found[0] if found else {"question": None, "answer": None}
    return Content(_cut(exchange["question"]), _cut(exchange["answer"]), evidence(spans, item["seed"]))


def evidence(spans: Sequence[Span], seed: bytes) -> list[Passage]:
    """The documents that the generator saw, each once, in an order that depends on the seed alone."""
    texts = _texts(spans)
    shown = list(dict.fromkeys(_seen_by_generator(spans)))[:_MOST_DOCUMENTS]
    return sorted((Passage(_opaque(seed, id_), _cut(texts.get(id_))) for id_ in shown), key=lambda each: each.id)


def _opaque(seed: bytes, document_id: str) -> str:
    return hmac.digest(seed, document_id.encode("utf-8", "surrogatepass"), hashlib.sha256).hex()[:16]


def _seen_by_generator(spans: Sequence[Span]) -> list[str]:
    """The assembled context, or what the last stage that has documents returned."""
    for span in reversed(spans):
        in_context = _attributes(span).get(names.CONTEXT_DOC_IDS)
        if isinstance(in_context, list):
            return [str(id_) for id_ in in_context]
    return next((ids for span in reversed(spans) if (ids := _ids(span["output_documents"]))), [])


def _texts(spans: Iterable[Span]) -> dict[str, str]:
    found: dict[str, str] = {}
    for span in spans:
        for key, text in _attributes(span).items():
            match = _CONTENT.fullmatch(key)
            if match is not None and isinstance(text, str):
                ids = _ids(span[_LISTS[match["list"]]])
                found |= dict.fromkeys(ids[int(match["rank"]) : int(match["rank"]) + 1], text)
    return found


def _ids(documents: str | None) -> list[str]:
    return [] if documents is None else [str(document["id"]) for document in orjson.loads(documents)]


def _attributes(span: Span) -> dict[str, Any]:
    return orjson.loads(span["attributes"]) if span["attributes"] else {}


def _cut(text: str | None) -> str | None:
    return None if text is None else text[:LONGEST_TEXT]
