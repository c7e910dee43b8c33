"""Recorded spans as OTLP spans."""

from functools import lru_cache
from struct import Struct
from typing import Final

from opentelemetry.proto.trace.v1.trace_pb2 import (
    Span,
)

from ragvigil import attributes as names
from ragvigil.answers import Answer
from ragvigil.clock import unix_ns
from ragvigil.documents import Documents, FoundBelow
from ragvigil.encoding import wire
from ragvigil.encoding.documents import scored
from ragvigil.encoding.fields import plan
from ragvigil.encoding.kinds import ANSWER_OPERATION, CHAIN, KIND_BY_STAGE, LLM, OPERATION_BY_KIND, OWN_KINDS, RETRIEVER
from ragvigil.encoding.numbers import as_number
from ragvigil.encoding.rare import LOCAL, REMOTE, encoded_rare, encoded_regeneration
from ragvigil.encoding.writer import AttributeWriter
from ragvigil.guard import GUARD
from ragvigil.predicates import Filter
from ragvigil.predicates.clauses import FilterBelow
from ragvigil.predicates.protect import protected
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

    def encode(self, span: RecordedSpan) -> bytes:
        """One serialized OTLP `Span`; a fact of the wrong kind is left out and counted as a dropped attribute."""
        anchor_ns = 0 if span.trace is None else span.trace.anchor_ns
        answer = span if isinstance(span, Answer) else None
        out = AttributeWriter((KIND_BY_STAGE.get(span.name) or _own_kind(span)) if answer is None else CHAIN)
        out.written.append(_head(span, anchor_ns))
        if span.rare is not None:
            out.written.append(encoded_rare(span.rare, anchor_ns))
            out.dropped += span.rare.dropped
        if "regeneration_of" in span.fields:
            out.written.append(encoded_regeneration(span.fields["regeneration_of"]))
        self._write_fields(span, out)
        _write_identity(span, answer, out)
        if out.dropped:
            out.written.append(b"\x50" + wire.varint(out.dropped))
        return b"".join(out.written)

    def _write_fields(self, span: RecordedSpan, out: AttributeWriter) -> None:
        facts = self._facts(span, out)
        writes, unknown = plan(tuple(facts))
        for field in unknown:
            out.refuse(f"the field {field!r} is not recorded: there is no such field")
        for field, write in writes:
            value = facts[field]
            if value is not None:
                try:
                    write(out, value)
                except Exception as failure:  # noqa: BLE001 - the guard, written out where attributes are many
                    GUARD.caught(failure)
                    out.dropped += 1

    def _facts(self, span: RecordedSpan, out: AttributeWriter) -> dict[str, object]:
        """The recorded fields, with those that need more than themselves worked out."""
        facts = {
            name: self._prepared(fact, out) if type(fact) in _PREPARED else fact for name, fact in span.fields.items()
        }
        if out.kind == RETRIEVER:
            facts.setdefault("filter", UNMENTIONED)
            _add_index(span, facts)
            found = span.fields.get("output_documents")
            if isinstance(found, FoundBelow) and found.scores is not None:
                facts["score_kind"] = found.score_kind or facts.get("score_kind")
        _settle(span, facts)
        first = facts.pop("first_token_ns", None)
        if isinstance(first, int):
            facts["first_token_s"] = max(0, first - span.start_ns) / 1e9
        if out.kind == LLM:
            facts["total_tokens"] = _sum(facts.get("input_tokens"), facts.get("output_tokens"))
        for documents, texts in self._texts:
            fact = span.fields.get(documents)
            if isinstance(fact, Documents) and fact.texts is not None:
                facts[texts] = fact
        return facts

    def _prepared(self, fact: object, out: AttributeWriter) -> object:
        """Documents with their scores as numbers, a filter without its protected values, anything else as it is."""
        with GUARD:
            if isinstance(fact, Filter):
                return protected(fact, self._secret_key)
            return scored(fact) if isinstance(fact, Documents) else fact
        out.dropped += 1
        return UNMENTIONED if isinstance(fact, Filter) else None


_PREPARED: Final = frozenset({Filter, FilterBelow, Documents, FoundBelow})
_TEXTS: Final = (("input_documents", "input_texts"), ("output_documents", "output_texts"))


def _settle(span: RecordedSpan, facts: dict[str, object]) -> None:
    """Add the probability of its trace where a sample is weighed by it; documents say better how many they are."""
    if span.trace is not None and span.trace.probability < 1 and (isinstance(span, Answer) or not span.parent_id):
        facts.setdefault("sampling_probability", span.trace.probability)
    for count, documents in (("input_count", "input_documents"), ("output_count", "output_documents")):
        if count in facts and documents in facts:
            del facts[count]


def _add_index(span: RecordedSpan, facts: dict[str, object]) -> None:
    """What the application says of its index once for all, where the retrieval itself says nothing."""
    if span.trace is not None and span.trace.index is not None and facts.get("index_version") is None:
        facts.update({field: fact for field, fact in span.trace.index if facts.get(field) is None})


def _sum(first: object, second: object) -> float | None:
    left, right = as_number(first), as_number(second)
    return None if left is None or right is None else left + right


def _head(span: RecordedSpan, anchor_ns: int) -> bytes:
    """All but attributes and what few spans have."""
    start_ns = unix_ns(anchor_ns + span.start_ns)
    end_ns = unix_ns(anchor_ns + (span.end_ns or span.start_ns))
    head = _IDENTITY.pack(
        *(b"\x0a\x10", span.trace_number.to_bytes(16, "big"), b"\x12\x08", span.span_id.to_bytes(8, "big")),
        *(b"\x30", _INTERNAL, b"\x39", start_ns, b"\x41", end_ns),
        *(b"\x85\x01", _flags(span)),
    )
    parts = [head, wire.field(b"\x2a", wire.utf8(span.name))]
    if span.parent_id:
        parts.append(b"\x22\x08" + span.parent_id.to_bytes(8, "big"))
    if span.trace_state:
        parts.append(wire.field(b"\x1a", wire.utf8(span.trace_state.to_header())))
    return b"".join(parts)


def _write_identity(span: RecordedSpan, answer: Answer | None, out: AttributeWriter) -> None:
    """What span this is, and whether an answer; last, since who caps attributes drops the oldest."""
    own = _stage(span.name, out.kind) if answer is None else _constant(names.OPERATION_NAME, ANSWER_OPERATION)
    out.written.append(own)
    if span.trace is not None and span.trace.probe_id is not None:
        out.text(span.trace.probe_id, names.PROBE_ID)
    elif answer is not None and not answer.is_withdrawn:
        out.text(answer.id, names.ANSWER_ID)
    elif span.answer is not None:
        out.written.append(_ANSWER_SPAN_ID + b"%016x" % span.answer.span_id)
    out.written.append(_constant(names.SPAN_KIND, out.kind))


def _own_kind(span: RecordedSpan) -> str:
    kind = span.fields.get("kind")
    return kind if isinstance(kind, str) and kind in OWN_KINDS else CHAIN


def _flags(span: RecordedSpan) -> int:
    return int(span.trace_flags) & 0xFF | (REMOTE if span.parent_is_remote else LOCAL)


@lru_cache(maxsize=256)
def _stage(name: str, kind: str) -> bytes:
    """Operation and name of a stage; there are a few of them."""
    operation = OPERATION_BY_KIND.get(kind)
    written = b"" if operation is None else _constant(names.OPERATION_NAME, operation)
    return written + wire.attribute(names.STAGE, wire.text(name))


@lru_cache(maxsize=64)
def _constant(key: str, value: str) -> bytes:
    return wire.attribute(key, wire.text(value))


_IDENTITY: Final = Struct("<2s16s2s8ssBsQsQ2sI")
"""Trace id, span id, kind, start, end, flags, each with its tag."""
_ANSWER_SPAN_ID: Final = wire.attribute(names.ANSWER_SPAN_ID, wire.text("0" * 16))[:-16]
_INTERNAL: Final = int(Span.SPAN_KIND_INTERNAL)
