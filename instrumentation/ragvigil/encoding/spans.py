"""Recorded spans as OTLP spans."""

from typing import Final

from opentelemetry.proto.trace.v1 import trace_pb2 as otlp

from ragvigil import attributes as names
from ragvigil.answers import Answer
from ragvigil.documents import Documents
from ragvigil.encoding.fields import FIELDS
from ragvigil.encoding.kinds import ANSWER_OPERATION, CHAIN, KIND_BY_STAGE, LLM, OPERATION_BY_KIND, RETRIEVER
from ragvigil.encoding.values import add_attributes, well_formed
from ragvigil.encoding.writer import AttributeWriter, as_number, scored
from ragvigil.guard import GUARD
from ragvigil.predicates import Filter
from ragvigil.predicates.protect import protected
from ragvigil.rare import Rare
from ragvigil.span import RecordedSpan

UNMENTIONED: Final = Filter(None)
"""The filter of a retrieval that told nothing about it: unknown, never "no filter"."""


class SpanEncoder:
    """Encodes spans; values of protected filter fields are replaced by their HMAC under `secret_key`.

    `document_texts`: whether spans may hold texts of documents.
    """

    def __init__(self, secret_key: bytes, *, document_texts: bool = False) -> None:
        self._secret_key = secret_key
        self._texts = _TEXTS if document_texts else ()

    def encode(self, span: RecordedSpan, into: otlp.Span) -> None:
        """Fill one OTLP span; a fact of the wrong kind is left out and counted as a dropped attribute."""
        anchor_ns = 0 if span.trace is None else span.trace.anchor_ns
        into.trace_id = span.trace_number.to_bytes(16, "big")
        into.span_id = span.span_id.to_bytes(8, "big")
        if span.parent_id:
            into.parent_span_id = span.parent_id.to_bytes(8, "big")
        into.trace_state = span.trace_state.to_header()
        into.flags = _flags(span)
        into.name = well_formed(span.name)
        into.kind = otlp.Span.SPAN_KIND_INTERNAL
        into.start_time_unix_nano = anchor_ns + span.start_ns
        into.end_time_unix_nano = anchor_ns + (span.end_ns or span.start_ns)
        if span.rare is not None:
            _add_rare(into, span.rare, anchor_ns)
        into.links.extend(_regeneration_link(span.fields.get("regeneration_of")))
        into.dropped_attributes_count += self._add_attributes(span, into)

    def _add_attributes(self, span: RecordedSpan, into: otlp.Span) -> int:
        """Write the attributes in order; how many could not be."""
        kind = CHAIN if isinstance(span, Answer) else KIND_BY_STAGE.get(span.name, CHAIN)
        out = AttributeWriter(kind, into.attributes)
        self._write_fields(span, out)
        _write_identity(span, out)
        out.text(kind, names.SPAN_KIND)
        return out.dropped

    def _write_fields(self, span: RecordedSpan, out: AttributeWriter) -> None:
        facts = self._facts(span, out)
        for field, write in FIELDS:
            value = facts.get(field)
            if value is not None:
                with GUARD:
                    write(out, value)
                    continue
                out.dropped += 1

    def _facts(self, span: RecordedSpan, out: AttributeWriter) -> dict[str, object]:
        """The recorded fields, with those that need more than themselves worked out."""
        facts = {name: self._prepared(fact, out) for name, fact in span.fields.items()}
        if out.kind == RETRIEVER:
            facts.setdefault("filter", UNMENTIONED)
        first = facts.pop("first_token_ns", None)
        if isinstance(first, int):
            facts["first_token_s"] = max(0, first - span.start_ns) / 1e9
        if out.kind == LLM:
            facts["total_tokens"] = _sum(facts.get("input_tokens"), facts.get("output_tokens"))
        for documents, texts in self._texts:
            fact = span.fields.get(documents)
            if isinstance(fact, Documents) and fact.texts is not None:
                facts[texts] = fact
        for unknown in facts.keys() - _KNOWN:
            out.refuse(f"the field {unknown!r} is not recorded: there is no such field")
        return facts

    def _prepared(self, fact: object, out: AttributeWriter) -> object:
        """Documents with their scores as numbers, a filter without its protected values, anything else as it is."""
        if isinstance(fact, Filter):
            return protected(fact, self._secret_key)
        if not isinstance(fact, Documents):
            return fact
        with GUARD:
            return scored(fact)
        out.dropped += 1
        return None


_TEXTS: Final = (("input_documents", "input_texts"), ("output_documents", "output_texts"))
_KNOWN: Final = frozenset(field for field, _ in FIELDS)


def _sum(first: object, second: object) -> float | None:
    left, right = as_number(first), as_number(second)
    return None if left is None or right is None else left + right


def _write_identity(span: RecordedSpan, out: AttributeWriter) -> None:
    if isinstance(span, Answer):
        out.text(ANSWER_OPERATION, names.OPERATION_NAME)
    elif out.kind in OPERATION_BY_KIND:
        out.text(OPERATION_BY_KIND[out.kind], names.OPERATION_NAME)
    if not isinstance(span, Answer):
        out.text(span.name, names.STAGE)
    if span.trace is not None and span.trace.probe_id is not None:
        out.text(span.trace.probe_id, names.PROBE_ID)
    elif isinstance(span, Answer) and not span.is_withdrawn:
        out.text(span.id, names.ANSWER_ID)
    elif span.answer is not None:
        out.text(f"{span.answer.span_id:016x}", names.ANSWER_SPAN_ID)


def _flags(span: RecordedSpan) -> int:
    known = otlp.SPAN_FLAGS_CONTEXT_HAS_IS_REMOTE_MASK
    remote = otlp.SPAN_FLAGS_CONTEXT_IS_REMOTE_MASK if span.parent_is_remote else 0
    return int(span.trace_flags | known | remote)


def _regeneration_link(answer_id: object) -> list[otlp.Span.Link]:
    """A link to the answer that an id of ours names; none for an id of another make."""
    trace_id, _, span_id = answer_id.partition("-") if isinstance(answer_id, str) else ("", "", "")
    try:
        link = otlp.Span.Link(trace_id=bytes.fromhex(trace_id), span_id=bytes.fromhex(span_id))
    except ValueError:
        return []
    return [link] if (len(link.trace_id), len(link.span_id)) == (16, 8) else []


def _add_rare(into: otlp.Span, rare: Rare, anchor_ns: int) -> None:
    add_attributes(into.attributes, rare.attributes)
    into.dropped_attributes_count = rare.dropped
    into.status.code = otlp.Status.StatusCode.ValueType(rare.status.value)
    into.status.message = well_formed(rare.description or "")
    for event in rare.events:
        added = into.events.add(name=well_formed(event.name), time_unix_nano=max(0, anchor_ns + event.at_ns))
        add_attributes(added.attributes, event.attributes)
    into.dropped_events_count = rare.dropped_events
    for context, attributes in rare.links:
        link = into.links.add(trace_id=context.trace_id.to_bytes(16, "big"), span_id=context.span_id.to_bytes(8, "big"))
        add_attributes(link.attributes, attributes)
    into.dropped_links_count = rare.dropped_links
