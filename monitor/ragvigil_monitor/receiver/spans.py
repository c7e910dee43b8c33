"""Spans of an export request, as rows."""

from typing import Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import InstrumentationScope, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import SCOPE_NAME
from ragvigil_monitor.receiver.answers import answer_row, link_by_parents, place_answer_span_id
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.columns import AT, FIRST_CHOICE, SECOND_CHOICE, Accepts
from ragvigil_monitor.receiver.documents import USUALLY_FLATTENED, Flattened, is_flattened, place_documents
from ragvigil_monitor.receiver.draft import Draft
from ragvigil_monitor.receiver.embeddings import is_vector, place_vectors
from ragvigil_monitor.receiver.events import EVENTS, LINKS, event_values, link_values
from ragvigil_monitor.receiver.foreign import is_foreign, kind_of, read_foreign
from ragvigil_monitor.receiver.provenance import drop_implausible
from ragvigil_monitor.receiver.resources import Sender, sender_of
from ragvigil_monitor.receiver.times import believable
from ragvigil_monitor.receiver.values import MAX_INT32, json_text, plain, text
from ragvigil_monitor.receiver.vectors import Sent, vector_rows
from ragvigil_monitor.span_ids import SPAN_ID_BYTES, has_ids
from ragvigil_monitor.telemetry_tables import Row

_STATUS: Final = {Status.STATUS_CODE_OK: "ok", Status.STATUS_CODE_ERROR: "error"}
_FILTER_STATES: Final = {"known", "none", "partial", "unknown"}
_STAGE: Final = AT["stage"]
_NOT_YET_PLACED: Final = (None,) * (AT["dropped_attributes"] - AT["status_message"] - 1)


def read_traces(request: ExportTraceServiceRequest, received_us: int) -> Batch:
    """All spans of a request; those without proper ids are rejected, other flaws are counted and the span kept."""
    batch = Batch()
    vectors: list[Sent] = []
    for group in request.resource_spans:
        sender = sender_of(group.resource)
        for library in group.scope_spans:
            scope = library.scope
            for span in library.spans:
                _read_span(span, scope, sender, received_us, batch, vectors)
    _link(batch)
    batch.query_vectors = vector_rows(vectors, lambda row: batch.count(row[AT["service"]], "flawed_bad_vector"))
    return batch


def _link(batch: Batch) -> None:
    unlinked = [row for row in batch.foreign if row[AT["answer_span_id"]] is None]
    link_by_parents(batch.spans)
    for row in unlinked:
        row[AT["answer_span_id"]] = None


def _read_span(
    span: Span, scope: InstrumentationScope, sender: Sender, received_us: int, batch: Batch, vectors: list[Sent]
) -> None:
    if not has_ids(span):
        batch.count(sender.service, "rejected_bad_id")
        return
    draft = Draft(_bare_row(span, sender))
    _place_times(span, draft, received_us)
    _place_attributes(span, scope, draft)
    vector = draft.rest.pop(names.QUERY_VECTOR, None)
    if vector is not None:
        vectors.append((draft.row, vector))
    answer = answer_row(draft)
    if answer:
        batch.answers.append(answer)
    _keep_rest(span, draft, sender, is_entry=answer is not None or not span.parent_span_id)
    batch.spans.append(draft.row)
    if SCOPE_NAME in draft.rest:
        batch.foreign.append(draft.row)
    for flaw in draft.flaws:
        batch.count(sender.service, f"flawed_{flaw}")


def _bare_row(span: Span, sender: Sender) -> Row:
    parent = span.parent_span_id
    return [
        span.trace_id,
        span.span_id,
        parent if len(parent) == SPAN_ID_BYTES else None,
        None,
        None,
        None,
        sender.service,
        sender.version,
        sender.instance_id,
        span.name,
        None,
        None,
        _STATUS.get(span.status.code, "unset"),
        span.status.message or None,
        *_NOT_YET_PLACED,
        min(span.dropped_attributes_count, MAX_INT32),
        None,
    ]


def _place_times(span: Span, draft: Draft, received_us: int) -> None:
    started = believable(span.start_time_unix_nano, received_us)
    ended = believable(span.end_time_unix_nano, received_us)
    draft["started_at"] = started or ended or received_us
    if started is None or ended is None:
        draft.flaws.add("bad_time")
    elif ended < started:
        draft.flaws.add("negative_duration")
    else:
        draft["duration_ms"] = (span.end_time_unix_nano - span.start_time_unix_nano) / 1e6


def _place_attributes(span: Span, scope: InstrumentationScope, draft: Draft) -> None:
    flattened, vectors = _split_attributes(span, draft)
    if drop_implausible(draft.rest):
        draft.flaws.add("bad_provenance")
    for attribute, (position, accepts) in SECOND_CHOICE.items():
        if attribute in draft.rest:
            _place_second(draft, attribute, position, accepts)
    _place_kind(draft)
    place_documents(draft, flattened)
    read_as_foreign = draft.row[_STAGE] is None and is_foreign(draft)
    if read_as_foreign:
        read_foreign(draft, span, scope)
    if vectors:
        place_vectors(draft, vectors, is_foreign=read_as_foreign)
    place_answer_span_id(draft)


def _split_attributes(span: Span, draft: Draft) -> tuple[Flattened, list[KeyValue]]:
    rest = draft.rest
    flattened: Flattened = []
    vectors: list[KeyValue] = []
    for pair in span.attributes:
        key = pair.key
        if key in USUALLY_FLATTENED:
            flattened.append(pair)
        elif key in FIRST_CHOICE:
            _place_first(draft, key, plain(pair.value))
        elif is_flattened(key):
            flattened.append(pair)
        elif is_vector(key):
            vectors.append(pair)
        else:
            rest[key] = plain(pair.value)
    return flattened, vectors


def _place_first(draft: Draft, key: str, value: object) -> None:
    position, accepts = FIRST_CHOICE[key]
    accepted = accepts(value)
    if accepted is None:
        draft.reject(key, value, position)
    else:
        draft.row[position] = accepted


def _place_second(draft: Draft, attribute: str, position: int, accepts: Accepts) -> None:
    value = accepts(draft.rest[attribute])
    if value is None:
        draft.reject(attribute, draft.rest[attribute], position)
    elif draft.row[position] in {None, value}:
        draft.row[position] = value
        del draft.rest[attribute]


def _place_kind(draft: Draft) -> None:
    if draft["kind"] is None:
        draft["kind"] = kind_of(draft)
    if draft["kind"] == "RETRIEVER":
        if draft["query_text"] is None and draft["stage"] is not None:
            draft["query_text"] = draft.take(names.INPUT_VALUE, text, "query_text")
        _place_filter_state(draft)


def _place_filter_state(draft: Draft) -> None:
    state = draft["filter_state"]
    if state is not None and state not in _FILTER_STATES:
        draft.reject(names.FILTER_STATE, state, AT["filter_state"])
    if state not in _FILTER_STATES:
        draft["filter_state"] = "unknown"


def _keep_rest(span: Span, draft: Draft, sender: Sender, *, is_entry: bool) -> None:
    if is_entry:
        draft.rest = {**sender.rest, **draft.rest}
    if span.events and EVENTS not in draft.rest:
        draft.rest[EVENTS] = [event_values(event) for event in span.events]
    if span.links:
        draft.rest[LINKS] = [link_values(link) for link in span.links]
    draft["attributes"] = json_text(draft.rest) if draft.rest else None
