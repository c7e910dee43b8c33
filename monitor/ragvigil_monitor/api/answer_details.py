"""Put together one answer from its row and the spans of its trace."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, TypeVar

import orjson

from ragvigil import attributes as names
from ragvigil_monitor.api.filter_words import filter_in_words
from ragvigil_monitor.api.models import Answer, Document, StageSpan
from ragvigil_monitor.phoenix.links import share_of, trace_url
from ragvigil_monitor.settings import Phoenix
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.database import Row

T = TypeVar("T")

_AROUND = timedelta(hours=1)
_SEARCHES = (timedelta(days=1), timedelta(days=7), timedelta(days=90))
_MOST_SPANS = 2000


def read_answers(
    store: Store, phoenix: Phoenix, trace_id: bytes, now: datetime, started_at: datetime | None
) -> list[Answer]:
    """The answers of a trace, earliest first, searched around `started_at` or backwards from `now`."""
    found = _answers_of(store, trace_id, now, started_at)
    if not found:
        return []
    spans = store.rows(
        "spans_of_trace",
        trace_id=trace_id,
        start=found[0]["started_at"] - _AROUND,
        end=found[-1]["started_at"] + _AROUND,
        limit=_MOST_SPANS,
    )
    owners = owners_of(spans, {row["span_id"] for row in found})
    return [
        _answer(row, phoenix, [span for span in spans if owners.get(span["span_id"]) == row["span_id"]])
        for row in found
    ]


def owners_of(spans: list[Row], answers: set[bytes]) -> dict[bytes, bytes]:
    """The answer that each span belongs to: as it was sent, else its nearest ancestor's; spans outside are left out."""
    by_id = {span["span_id"]: span for span in spans}
    owners: dict[bytes, bytes] = {}
    for span in spans:
        owner = next(_claims(span, by_id, answers), None)
        if owner is not None:
            owners[span["span_id"]] = owner
    return owners


def _claims(span: Row | None, by_id: dict[bytes, Row], answers: set[bytes]) -> Iterator[bytes]:
    seen: set[bytes] = set()
    while span is not None and span["span_id"] not in seen:
        seen.add(span["span_id"])
        if span["span_id"] in answers:
            yield span["span_id"]
        elif span["answer_span_id"] in answers:
            yield span["answer_span_id"]
        span = by_id.get(span["parent_span_id"])


def _answers_of(store: Store, trace_id: bytes, now: datetime, started_at: datetime | None) -> list[Row]:
    for start, end in _search_ranges(now, started_at):
        found = store.rows("answers_of_trace", trace_id=trace_id, start=start, end=end)
        if found:
            return found
    return []


def _search_ranges(now: datetime, started_at: datetime | None) -> Iterator[tuple[datetime, datetime]]:
    if started_at is not None:
        yield started_at - _AROUND, started_at + _AROUND
        return
    end = now + _AROUND
    for back in _SEARCHES:
        yield now - back, end
        end = now - back


def _answer(row: Row, phoenix: Phoenix, spans: list[Row]) -> Answer:
    costs = [span["cost_usd"] for span in spans if span["stage"] is not None and span["cost_usd"] is not None]
    return Answer(
        **{
            **row,
            "trace_id": row["trace_id"].hex(),
            "span_id": row["span_id"].hex(),
            "cost_usd": sum(costs) if costs else None,
            "slices": _json(row["slices"], {}),
            "citations": _cited(row["citations"]),
            "phoenix_share": share_of(phoenix),
            "phoenix_url": trace_url(phoenix, row["trace_id"]),
            "spans": [_stage_span(span, row["started_at"]) for span in spans],
        }
    )


def _stage_span(span: Row, answer_started_at: datetime) -> StageSpan:
    parent, attributes = span["parent_span_id"], _json(span["attributes"], {})
    return StageSpan(
        **{name: span[name] for name in _COPIED},
        span_id=span["span_id"].hex(),
        parent_span_id=parent.hex() if parent else None,
        offset_ms=(span["started_at"] - answer_started_at) / timedelta(milliseconds=1),
        filter_in_words=filter_in_words(span["filter_state"], span["filter_ast"], span["filter_clauses"]),
        input_documents=_documents(span["input_documents"]),
        output_documents=_outputs(span["output_documents"], attributes),
        context_tokens=_if_is(int, attributes.get(names.CONTEXT_TOKENS)),
        context_truncated=_if_is(bool, attributes.get(names.CONTEXT_TRUNCATED)),
        attributes=attributes,
    )


_COPIED = (
    "name",
    "kind",
    "stage",
    "duration_ms",
    "status",
    "status_message",
    "service",
    "model",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "time_to_first_token_ms",
    "top_k",
    "query_text",
    "filter_state",
    "dropped_attributes",
)


def _documents(text: str | None) -> list[Document] | None:
    if text is None:
        return None
    return [Document(id=document["id"], score=document["score"]) for document in orjson.loads(text)]


def _outputs(text: str | None, attributes: dict[str, Any]) -> list[Document] | None:
    """What a stage returned; of one that assembles the context the ids that it put before the generator."""
    if text is not None:
        return _documents(text)
    ids = _if_is(list, attributes.get(names.CONTEXT_DOC_IDS))
    return None if ids is None else [Document(id=str(document_id), score=None) for document_id in ids]


def _if_is(kind: type[T], value: object) -> T | None:
    return value if isinstance(value, kind) else None


def _cited(text: str | None) -> list[str] | None:
    """The ids of the cited documents; None where none were recorded, or none of what was is readable."""
    listed = _if_is(list, _json(text, None))
    if listed is None:
        return None
    ids = [str(entry["doc_id"]) for entry in listed if isinstance(entry, dict) and "doc_id" in entry]
    return ids if ids or not listed else None


def _json(text: str | None, otherwise: Any) -> Any:
    return otherwise if text is None else orjson.loads(text)
