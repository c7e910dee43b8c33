"""What the spans of an answer tell of its evidence: what each search found, and what each stage let through."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import orjson

from ragvigil_monitor.review.evidence_path import CITATION, CONTEXT, RERANK, Recorded
from ragvigil_monitor.review.outcomes import Search
from ragvigil_monitor.review.passages import ids
from ragvigil_monitor.store.database import Row


def search_of(spans: Sequence[Row], span_id: bytes | None) -> Search | None:
    """The search of one span; None where it is not stored, or says nothing of its documents."""
    span = next((span for span in spans if span["span_id"] == span_id), None)
    if span is None or span["output_documents"] is None:
        return None
    documents = ids(span["output_documents"])
    return Search(frozenset(documents), span["top_k"], span["index_version"], _passes(documents, span["passes"]))


def stages_after(spans: Sequence[Row], item: Mapping[str, Any], citations: str | None) -> Recorded:
    """What the stages of an answer let through after one of its retrievals began, and what the answer cites.

    spans: rows of `searches_of_traces` of one trace.
    """
    recorded: defaultdict[str, set[str]] = defaultdict(set)
    begun = next((span["started_at"] for span in spans if span["span_id"] == item["retrieval_span_id"]), None)
    for span in spans:
        if span["answer_span_id"] == item["answer_span_id"] and begun is not None and span["started_at"] >= begun:
            for stage, documents in _let_through(span):
                recorded[stage] |= documents
    cited = _json(citations)
    if isinstance(cited, list):
        recorded[CITATION] |= {str(each["doc_id"]) for each in cited if isinstance(each, dict) and "doc_id" in each}
    return recorded


def _passes(documents: Sequence[str], said: str | None) -> Mapping[str, bool | None]:
    """What a probe says of each document; nothing where its list does not fit the documents."""
    listed = _json(said)
    if not isinstance(listed, list) or len(listed) != len(documents):
        return {}
    return {document: passes for document, passes in zip(documents, listed, strict=True) if isinstance(passes, bool)}


def _let_through(span: Row) -> Iterator[tuple[str, set[str]]]:
    context = _json(span["context"])
    if isinstance(context, list):
        yield CONTEXT, {str(document) for document in context}
    if span["stage"] == RERANK and span["output_documents"] is not None:
        yield RERANK, set(ids(span["output_documents"]))


def _json(text: str | None) -> object:
    """The value of a text from an application; None for what is no JSON."""
    try:
        return None if text is None else orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
