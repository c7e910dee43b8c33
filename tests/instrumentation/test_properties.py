"""Whatever an application does, every span that ended arrives once, in its place, readable."""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as OtlpSpan

import ragvigil
from ragvigil import attributes as names
from ragvigil.encoding.numbers import as_number
from ragvigil.encoding.values import add_attributes, any_value, well_formed
from ragvigil.encoding.writer import AttributeWriter
from ragvigil.guard import GUARD
from ragvigil.settings import pairs
from ragvigil.testing import InMemoryExporter, ManualClock, SequentialIds

ONE_PROCESS = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@dataclass(frozen=True)
class Call:
    """A call in an application: how it is traced, and what it calls."""

    kind: str
    is_answer: bool
    below: tuple["Call", ...]


CALLS = st.recursive(
    st.builds(Call, st.sampled_from(["plain", "async", "generator", "async generator"]), st.booleans(), st.just(())),
    lambda inner: st.builds(
        Call,
        st.sampled_from(["plain", "async", "generator", "async generator"]),
        st.booleans(),
        st.lists(inner, max_size=3).map(tuple),
    ),
    max_leaves=8,
)
Expected = dict[str, tuple[str | None, str | None]]


def decorated(call: Call, name: str, function: Callable[[], Any]) -> Callable[[], Any]:
    return ragvigil.pipeline(name)(function) if call.is_answer else ragvigil.stage(name)(function)


async def perform_plain(call: Call, name: str) -> None:
    def plain() -> int:
        return len(call.below)

    assert decorated(call, name, plain)() == len(call.below)


async def perform_async(call: Call, name: str) -> None:
    async def coroutine() -> None:
        for index, inner in enumerate(call.below):
            await perform(inner, f"{name}.{index}")

    await decorated(call, name, coroutine)()


async def perform_generator(call: Call, name: str) -> None:
    def generator() -> Iterator[int]:
        for index in range(len(call.below)):
            with ragvigil.stage(f"{name}.{index}"):
                yield index

    assert list(decorated(call, name, generator)()) == list(range(len(call.below)))


async def perform_async_generator(call: Call, name: str) -> None:
    async def async_generator() -> AsyncIterator[int]:
        for index, inner in enumerate(call.below):
            yield index
            await perform(inner, f"{name}.{index}")

    assert [item async for item in decorated(call, name, async_generator)()] == list(range(len(call.below)))


async def perform(call: Call, name: str) -> None:
    """Make a call of its kind, with everything below it, under a decorator."""
    kinds = {
        "plain": perform_plain,
        "async": perform_async,
        "generator": perform_generator,
        "async generator": perform_async_generator,
    }
    await kinds[call.kind](call, name)


def expected(call: Call, name: str, parent: str | None, answer: str | None) -> Expected:
    """Parent and answer of every span that `perform` makes, by name."""
    own_answer = name if call.is_answer else answer
    places: Expected = {name: (parent, None if call.is_answer else answer)}
    for index, inner in enumerate(call.below):
        below = f"{name}.{index}"
        if call.kind == "generator":
            places[below] = (name, own_answer)
        elif call.kind != "plain":
            places |= expected(inner, below, name, own_answer)
    return places


@ONE_PROCESS
@given(CALLS)
def test_every_span_has_its_place(call: Call) -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter, clock=ManualClock(), ids=SequentialIds())
    asyncio.run(perform(call, "0"))
    assert ragvigil.flush()
    by_id = {span.span_id: span.name for span in exporter.spans}
    found = {
        span.name: (by_id.get(span.parent_id), by_id.get(span.attributes.get(names.ANSWER_SPAN_ID, "")))
        for span in exporter.spans
    }
    assert found == expected(call, "0", None, None)
    assert len(by_id) == len(exporter.spans) == ragvigil.counts().started
    assert len({span.trace_id for span in exporter.spans}) == 1
    assert ragvigil.current_answer().id == ""


ANYTHING: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters(), max_size=8),
    st.binary(max_size=8),
    st.lists(st.one_of(st.text(max_size=3), st.floats(), st.none()), max_size=4),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)
STAGE_FACTS = [
    "query", "top_k", "model", "provider", "response_id", "response_model", "input_tokens", "output_tokens",
    "cached_tokens", "cost_usd", "score_kind", "index_version", "embedding_version", "db_system", "collection",
    "filter_extractor", "filter_extractor_version", "input", "output", "nonsense",
]  # fmt: skip
ANSWER_FACTS = [
    "question", "answer", "session_id", "user_id", "intent", "refusal", "confidence", "citations", "regeneration_of",
]  # fmt: skip
CALLS_OF_A_STAGE = ["inputs", "outputs", "context", "vector", "filter", "input texts", "output texts"]
STAGES = st.sampled_from(["embed", "retrieve", "rerank", "assemble", "generate", "my own"])


def perform_call(stage: ragvigil.Stage, method: str, argument: Any) -> None:
    if method == "input texts":
        stage.inputs(["a", "b"], texts=argument)
    elif method == "output texts":
        stage.outputs(["a", "b"], texts=argument)
    else:
        getattr(stage, method)(argument)


@ONE_PROCESS
@given(
    STAGES,
    st.dictionaries(st.sampled_from(STAGE_FACTS), ANYTHING),
    st.dictionaries(st.sampled_from(ANSWER_FACTS), ANYTHING),
    st.lists(st.tuples(st.sampled_from(CALLS_OF_A_STAGE), ANYTHING), max_size=5),
    st.dictionaries(st.text(st.characters(), max_size=5), ANYTHING, max_size=3),
)
def test_whatever_is_recorded_the_spans_arrive_readable(
    lenient: None,
    stage: str,
    stage_facts: Mapping[str, Any],
    answer_facts: Mapping[str, Any],
    calls: list[tuple[str, Any]],
    attributes: Mapping[str, Any],
) -> None:
    GUARD.strict = False
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter, clock=ManualClock(), ids=SequentialIds(), document_texts=True)
    with ragvigil.pipeline("ask") as answer:
        answer.set(**answer_facts)
        with ragvigil.stage(stage) as s:
            s.set_attributes(attributes)
            s.set(**stage_facts)
            for method, argument in calls:
                perform_call(s, method, argument)
    assert ragvigil.flush()
    assert sorted(span.name for span in exporter.spans) == sorted(["ask", stage])
    assert ragvigil.counts() == ragvigil.Counts(started=2, exported=2)
    for span in exporter.spans:
        assert list(span.attributes)[-1] == names.SPAN_KIND
        for key in (names.STAGE_OUTPUT_DOCUMENTS, names.STAGE_INPUT_DOCUMENTS, names.CITATIONS, names.FILTER_AST):
            if key in span.attributes:
                json.loads(span.attributes[key], parse_constant=pytest.fail)


@given(st.text(st.characters()))
def test_well_formed_text_can_be_encoded_and_good_text_stays(text: str) -> None:
    assert well_formed(text).encode().decode() == well_formed(text)
    if max(text, default="") < "\ud800" or min(text) > "\udfff":
        assert well_formed(text) == text


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("a", "string_value"),
        (True, "bool_value"),
        (7, "int_value"),
        (2**63 - 1, "int_value"),
        (-(2**63), "int_value"),
        (2**63, "string_value"),
        (0.5, "double_value"),
        (math.nan, "double_value"),
        (b"\x00", "bytes_value"),
        (("a", 1), "array_value"),
    ],
    ids=repr,
)
def test_values_keep_their_kind(value: Any, kind: str) -> None:
    encoded: AnyValue = any_value(value)
    assert encoded.WhichOneof("value") == kind


def test_attributes_keep_their_order() -> None:
    span = OtlpSpan()
    add_attributes(span.attributes, {"b": 1, "a": ("x",), "\ud800": "y"})
    assert [pair.key for pair in span.attributes] == ["b", "a", "?"]


@pytest.mark.parametrize(
    ("write", "value"),
    [("text", 5), ("integer", 1.5), ("integer", "1"), ("double", math.inf), ("boolean", 1), ("double", None)],
    ids=str,
)
def test_a_value_of_the_wrong_kind_writes_nothing(lenient: None, write: str, value: object) -> None:
    out = AttributeWriter("CHAIN")
    getattr(out, write)(value, "first", "second")
    assert out.written == []
    assert out.dropped == 1


@given(ANYTHING)
def test_numbers_are_finite_or_none(value: object) -> None:
    number = as_number(value)
    assert number is None or math.isfinite(number)
    if isinstance(value, bool | str | bytes | list | dict):
        assert number is None


@given(st.text())
def test_no_variable_of_pairs_can_hurt(text: str) -> None:
    read = pairs({"NAME": text}, "NAME")
    assert all(key and key == key.strip() for key in read)


@given(st.dictionaries(st.text("abcxyz", min_size=1), st.text("abc-_.")))
def test_pairs_are_read_back(given_pairs: dict[str, str]) -> None:
    text = ",".join(f"{key}={value}" for key, value in given_pairs.items())
    assert pairs({"NAME": text}, "NAME") == given_pairs
