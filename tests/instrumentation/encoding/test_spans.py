"""A span is written as message objects would be: the same attributes in the same order, and nothing else."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.trace import NonRecordingSpan, SpanContext, SpanKind, StatusCode, TraceFlags, TraceState
from opentelemetry.trace.propagation import set_span_in_context

import ragvigil
from ragvigil import attributes as names
from ragvigil.encoding.documents import Scored
from ragvigil.encoding.requests import RequestEncoder
from ragvigil.encoding.spans import SpanEncoder
from ragvigil.encoding.values import well_formed
from ragvigil.encoding.writer import AttributeWriter
from ragvigil.guard import GUARD
from ragvigil.predicates import entitlement, eq, gt, in_, relevance, where
from ragvigil.testing import InMemoryExporter, ManualClock, SequentialIds, read_spans

ENCODER = SpanEncoder(b"k" * 32, document_texts=True)
KIND_BY_STAGE = {"embed": "EMBEDDING", "retrieve": "RETRIEVER", "rerank": "RERANKER", "generate": "LLM"}
SCALARS: st.SearchStrategy[Any] = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters()), st.binary(max_size=9)
)
FACTS = st.dictionaries(
    st.sampled_from(
        ["query", "top_k", "model", "provider", "input_tokens", "output_tokens", "cost_usd", "input", "nonsense"]
    ),
    SCALARS,
)
DOCUMENTS = st.lists(st.tuples(st.one_of(st.text(st.characters()), st.integers()), SCALARS), max_size=5)
FILTERS = st.builds(
    lambda tenant, kind, modules: where(
        entitlement(eq("tenant", tenant)), relevance(eq("kind", kind), origin="rule"), relevance(in_("module", modules))
    ),
    SCALARS,
    SCALARS,
    st.lists(SCALARS, max_size=3),
)
OFTEN = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


class PlainWriter(AttributeWriter):
    """Writes the same attributes as message objects."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.span = Span()

    def text(self, value: object, *keys: str) -> None:
        if not isinstance(value, str):
            super().text(value, *keys)
            return
        for key in keys:
            self.span.attributes.add(key=well_formed(key)).value.string_value = well_formed(value)

    def integer(self, value: object, *keys: str) -> None:
        if self._is_written(super().integer, value, *keys):
            for key in keys:
                self.span.attributes.add(key=key).value.int_value = int(value)  # type: ignore[call-overload]

    def double(self, value: object, *keys: str) -> None:
        if self._is_written(super().double, value, *keys):
            for key in keys:
                self.span.attributes.add(key=key).value.double_value = float(value)  # type: ignore[arg-type]

    def boolean(self, value: object, *keys: str) -> None:
        if self._is_written(super().boolean, value, *keys):
            for key in keys:
                self.span.attributes.add(key=key).value.bool_value = bool(value)

    def documents(self, documents: Scored, prefix: str) -> None:
        for index, (identity, score) in enumerate(zip(*documents, strict=True)):
            self.text(identity, f"{prefix}.{index}.{names.DOCUMENT_ID}")
            if score is not None:
                self.double(score, f"{prefix}.{index}.{names.DOCUMENT_SCORE}")

    def raw(self, value: bytes, key: str) -> None:
        self.span.attributes.add(key=key).value.bytes_value = value

    def texts(self, values: Iterable[str], key: str) -> None:
        array = self.span.attributes.add(key=key).value.array_value
        array.SetInParent()
        for value in values:
            array.values.add().string_value = well_formed(value)

    def _is_written(self, write: Any, value: object, *keys: str) -> bool:
        dropped = self.dropped
        write(value, *keys)
        return self.dropped == dropped


def unknown_fields(message: Message) -> int:
    """Fields that a message has and its description has not, at any depth."""
    found = len(UnknownFieldSet(message))
    for field, value in message.ListFields():
        if field.message_type is not None:
            found += sum(map(unknown_fields, value if field.is_repeated else [value]))
    return found


def read(span: ragvigil.Stage | ragvigil.Answer) -> Span:
    decoded = Span.FromString(ENCODER.encode(span))
    assert unknown_fields(decoded) == 0
    return decoded


@pytest.fixture(autouse=True)
def recording() -> None:
    ragvigil.configure(exporter=InMemoryExporter(), clock=ManualClock(), ids=SequentialIds(), document_texts=True)


@OFTEN
@given(st.sampled_from([*KIND_BY_STAGE, "assemble", "my own"]), FACTS, DOCUMENTS, FILTERS, st.binary(max_size=40))
def test_attributes_are_those_that_message_objects_would_hold(
    lenient: None, name: str, facts: Mapping[str, Any], documents: list[tuple[Any, Any]], said: Any, vector: bytes
) -> None:
    GUARD.strict = False
    with ragvigil.pipeline("ask"), ragvigil.stage(name) as stage:
        stage.set(**facts)
        stage.inputs([d for d, _ in documents], texts=[str(d) for d, _ in documents])
        stage.outputs([d for d, _ in documents], [score for _, score in documents])
        stage.context([d for d, _ in documents], tokens=7, truncated=True)
        stage.filter(said)
        stage.vector(vector)
    plain = PlainWriter(KIND_BY_STAGE.get(name, "CHAIN"))
    ENCODER._write_fields(stage, plain)
    decoded = read(stage)
    assert list(decoded.attributes)[: len(plain.span.attributes)] == list(plain.span.attributes)
    identity = [pair.key for pair in list(decoded.attributes)[len(plain.span.attributes) :]]
    assert identity[-3:] == [names.STAGE, names.ANSWER_SPAN_ID, names.SPAN_KIND]
    assert set(identity[:-3]) <= {names.OPERATION_NAME}
    assert decoded.dropped_attributes_count == plain.dropped


def test_identity_place_and_times_are_written() -> None:
    parent = SpanContext(2**128 - 1, 2**64 - 1, True, TraceFlags(1), TraceState([("a", "1"), ("b", "2")]))
    remote = set_span_in_context(NonRecordingSpan(parent))
    answer = ragvigil.pipeline("fr\udcffage")
    answer.start(remote)
    stage = ragvigil.stage("embed")
    stage.start(set_span_in_context(answer))
    stage.end()
    answer.end()
    above, below = read(answer), read(stage)
    assert (above.trace_id, above.parent_span_id) == (b"\xff" * 16, b"\xff" * 8)
    assert (above.trace_state, above.name) == ("a=1,b=2", "fr?age")
    assert (above.flags, below.flags) == (0x301, 0x101)
    assert below.parent_span_id == above.span_id == answer.span_id.to_bytes(8, "big")
    assert above.kind == Span.SPAN_KIND_INTERNAL == SpanKind.INTERNAL.value + 1
    assert above.start_time_unix_nano == answer.start_ns + (answer.trace.anchor_ns if answer.trace else 0)
    assert above.end_time_unix_nano >= above.start_time_unix_nano > 0


def test_a_first_span_has_no_parent_and_no_state() -> None:
    with ragvigil.pipeline("ask") as answer:
        pass
    decoded = read(answer)
    assert (decoded.parent_span_id, decoded.trace_state) == (b"", "")
    assert not decoded.HasField("status")


def test_what_few_spans_have_comes_first_and_adds_its_losses() -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set_attribute("mine", "x")
        answer.set_attribute("lost", object())  # type: ignore[arg-type]
        answer.set_status(StatusCode.ERROR, "bad")
        answer.add_event("seen", {"n": 1})
        answer.set(intent="how-to", regeneration_of=f"{7:032x}-{8:016x}", question=5)  # type: ignore[arg-type]
    decoded = read(answer)
    assert next(pair.key for pair in decoded.attributes) == "mine"
    assert [pair.key for pair in decoded.attributes][-1] == names.SPAN_KIND
    assert decoded.dropped_attributes_count == 2
    assert (decoded.status.code, decoded.status.message) == (2, "bad")
    assert [event.name for event in decoded.events] == ["seen"]
    assert [(link.trace_id, link.span_id) for link in decoded.links] == [((7).to_bytes(16), (8).to_bytes(8))]


@pytest.mark.parametrize("number", [0, 1, 3])
def test_a_request_holds_the_spans_and_says_whose_they_are(number: int) -> None:
    spans = [Span(name=f"span {index}", trace_id=b"t" * 16).SerializeToString() for index in range(number)]
    payload = RequestEncoder({"service.name": "shop", "n": 3}).traces(spans)
    read_back = list(read_spans(payload))
    assert [span.name for span in read_back] == [f"span {index}" for index in range(number)]
    assert all(span.resource == {"service.name": "shop", "n": 3} for span in read_back)


def test_filters_that_are_equal_to_python_are_told_apart() -> None:
    texts = set()
    for value in (1, True, 1.0, "1"):
        with ragvigil.pipeline("ask"), ragvigil.stage("retrieve") as stage:
            stage.filter(where(relevance(gt("n", value))))
        by_key = {pair.key: pair.value.string_value for pair in read(stage).attributes}
        texts.add(by_key[names.FILTER_AST])
    assert len(texts) == 4


@pytest.mark.parametrize("kind", [["a"], {"b": 1}, 1, True, 1.0, None, "c"], ids=repr)
def test_labels_of_any_kind_are_written_as_they_are(kind: Any) -> None:
    kinds: list[Any] = [True, 1, kind]
    for other in kinds:
        with ragvigil.pipeline("ask"), ragvigil.stage("retrieve") as stage:
            stage.filter(where(relevance(eq("n", 1), kind=other)))
    by_key = {pair.key: pair.value.string_value for pair in read(stage).attributes}
    (clause,) = json.loads(by_key[names.FILTER_CLAUSES])
    assert (clause["kind"], type(clause["kind"])) == (kind, type(kind))
    assert by_key[names.FILTER_STATE] == "known"
