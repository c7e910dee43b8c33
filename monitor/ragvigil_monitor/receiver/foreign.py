"""Spans that other instrumentations made, read into the columns that Ragvigil's own fill."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil import attributes as names
from ragvigil.dialects import chroma
from ragvigil.dialects.unreadable import Unreadable
from ragvigil.predicates import Filter, PredicateError, to_json
from ragvigil_monitor.conventions.all import CONVENTIONS, question_of
from ragvigil_monitor.conventions.provenance import (
    DOCUMENTS_WITHOUT_ID,
    ENTRY_KIND,
    NO_STAGE,
    PARENT_IS_REMOTE,
    SCOPE_NAME,
    SCOPE_VERSION,
    UNNAMED,
)
from ragvigil_monitor.receiver.columns import THIRD_CHOICE
from ragvigil_monitor.receiver.draft import Draft
from ragvigil_monitor.receiver.events import EVENTS, event_values
from ragvigil_monitor.receiver.values import json_text, number

STAGE_OF_KIND: Final[Mapping[object, str]] = {
    "EMBEDDING": "embed",
    "RETRIEVER": "retrieve",
    "RERANKER": "rerank",
    "LLM": "generate",
}
_SEARCHING: Final = {"RETRIEVER", "RERANKER"}
_FIRST_TOKEN_EVENTS: Final = frozenset().union(*(each.first_token_events for each in CONVENTIONS))
_READERS: Final[Mapping[str, Callable[[object], Filter]]] = {"chroma": chroma.read}
_HAS_REMOTE_PARENT: Final = 0x300
"""The two bits of `Span.flags` that say that it is known whether the parent is remote, and that it is."""
_REQUESTS: Final = {Span.SPAN_KIND_SERVER: "SERVER", Span.SPAN_KIND_CONSUMER: "CONSUMER"}


def is_foreign(draft: Draft) -> bool:
    """Whether a span without a stage says nothing else in Ragvigil's own words."""
    return draft["probe_id"] is None and not {names.ANSWER_ID, names.STAGE} & draft.rest.keys()


def kind_of(draft: Draft) -> str | None:
    """The OpenInference kind of a span that does not name it, by the first convention that knows."""
    rest = draft.rest
    for convention in CONVENTIONS:
        for attribute, kinds in convention.kinds:
            value = rest.get(attribute)
            if isinstance(value, str) and value in kinds:
                return kinds[value]
        kind = convention.kind_of(str(draft["name"]), rest)
        if kind is not None:
            return kind
    return None


def read_foreign(draft: Draft, span: Span, scope: InstrumentationScope) -> None:
    """Fill what the conventions know and Ragvigil's names left empty."""
    _place_third_choice(draft)
    draft["stage"] = None if draft.rest.pop(NO_STAGE, False) else STAGE_OF_KIND.get(draft["kind"])
    if span.events:
        draft.rest[EVENTS] = _events(draft, span)
    if draft["kind"] in _SEARCHING:
        _place_search(draft)
    _note_provenance(draft, span, scope)


def _place_third_choice(draft: Draft) -> None:
    row, rest = draft.row, draft.rest
    for attribute, (position, accepts) in THIRD_CHOICE.items():
        if attribute not in rest:
            continue
        value = accepts(rest[attribute])
        if value is None:
            draft.reject(attribute, rest[attribute], position)
        elif row[position] in {None, value}:
            row[position] = value
            del rest[attribute]


def _events(draft: Draft, span: Span) -> list[dict[str, object]]:
    """The events; of the streamed parts only the first, which gives the time to the first token."""
    kept = []
    streamed = False
    for event in span.events:
        if event.name not in _FIRST_TOKEN_EVENTS:
            kept.append(event_values(event))
        elif not streamed:
            streamed = True
            kept.append(event_values(event))
            _place_first_token(draft, event.time_unix_nano - span.start_time_unix_nano)
    return kept


def _place_first_token(draft: Draft, after_ns: int) -> None:
    if draft["time_to_first_token_ms"] is None and after_ns >= 0:
        draft["time_to_first_token_ms"] = after_ns / 1e6


def _place_search(draft: Draft) -> None:
    if draft["query_text"] is None:
        draft["query_text"] = question_of(draft.rest)
        if draft["query_text"] == draft.rest.get(names.INPUT_VALUE):
            draft.rest.pop(names.INPUT_VALUE, None)
    if draft["output_documents"] is None:
        _place_found(draft)
    if draft["filter_ast"] is None:
        _place_filter(draft)


def _place_found(draft: Draft) -> None:
    events: Any = draft.rest.get(EVENTS, [])
    each_found = (each.documents(draft.rest, events) for each in CONVENTIONS)
    found = next((each for each in each_found if each is not None), None)
    if found is None:
        return
    known = [{"id": id_, "score": number(score)} for id_, score in zip(found.ids, found.scores, strict=True) if id_]
    if known or not found.ids:
        draft["output_documents"] = json_text(known)
    if draft["score_kind"] is None and known:
        draft["score_kind"] = found.score_kind
    if len(known) < len(found.ids):
        draft.rest[DOCUMENTS_WITHOUT_ID] = len(found.ids) - len(known)
        draft.flaws.add("document_without_id")


def _place_filter(draft: Draft) -> None:
    """Read a filter where it is there and its language is known; it stays among the attributes as it was sent."""
    sent = next((found for each in CONVENTIONS if (found := each.filters(draft.rest)) is not None), None)
    if sent is None:
        return
    dialect, native = sent
    try:
        said = _READERS[dialect](native)
        predicate = None if said.predicate is None else _strict_json(to_json(said.predicate))
    except (Unreadable, PredicateError, LookupError, TypeError, ValueError, RecursionError):
        draft.flaws.add("unreadable_filter")
        return
    draft["filter_state"] = said.state
    draft["filter_ast"] = predicate


def _strict_json(predicate: object) -> str:
    """Raises ValueError or TypeError for numbers and texts that JSON does not have."""
    json.dumps(predicate, allow_nan=False)
    return json_text(predicate)


def _note_provenance(draft: Draft, span: Span, scope: InstrumentationScope) -> None:
    if draft["kind"] is not None:
        draft.rest[SCOPE_NAME] = scope.name or draft.rest.get(SCOPE_NAME, UNNAMED)
        if scope.version:
            draft.rest[SCOPE_VERSION] = scope.version
    if draft["kind"] is None and span.kind in _REQUESTS:
        draft.rest[ENTRY_KIND] = _REQUESTS[span.kind]
    if span.flags & _HAS_REMOTE_PARENT == _HAS_REMOTE_PARENT:
        draft.rest[PARENT_IS_REMOTE] = True
