"""What is written by hand are the bytes that protobuf itself writes."""

import math
import struct
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from ragvigil.encoding import wire

TEXTS = st.text(st.characters())
LENGTHS = [0, 1, 80, 124, 125, 126, 127, 128, 129, 1019, 1023, 1024, 1025, 16_383, 16_384, 70_000]


def questioned(text: str) -> str:
    return "".join("?" if "\ud800" <= character <= "\udfff" else character for character in text)


@given(st.integers(0, 2**64 - 1))
@example(0x7F)
@example(0x80)
@example(1023)
@example(1024)
@example(2**64 - 1)
def test_a_varint_is_read_back(number: int) -> None:
    assert Span.FromString(b"\x39" + struct.pack("<Q", number)).start_time_unix_nano == number
    dropped = Span.FromString(b"\x50" + wire.varint(number)).dropped_attributes_count
    assert dropped == number % 2**32
    if number < 2**32:
        assert wire.varint(number) == Span(dropped_attributes_count=number).SerializeToString()[1:] or number == 0


@given(TEXTS)
def test_text_is_what_protobuf_writes(text: str) -> None:
    assert wire.text(text) == AnyValue(string_value=questioned(text)).SerializeToString()


@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("character", ["a", "ß", "\udcff"], ids=["ascii", "two bytes", "surrogate"])
def test_text_of_any_length_is_what_protobuf_writes(character: str, length: int) -> None:
    text = character * length
    assert wire.text(text) == AnyValue(string_value=questioned(text)).SerializeToString()


@pytest.mark.parametrize("key_length", [1, 20, 100, 126, 200, 300, 20_000])
@pytest.mark.parametrize("length", LENGTHS)
def test_an_attribute_of_any_length_is_what_protobuf_writes(key_length: int, length: int) -> None:
    key, value = "k" * key_length, AnyValue(string_value="v" * length)
    expected = Span(attributes=[KeyValue(key=key, value=value)]).SerializeToString()
    assert wire.attribute(key, value.SerializeToString()) == expected
    assert wire.text_attribute(wire.key_head(key), "v" * length) == expected


@given(st.text(st.characters(), min_size=1), TEXTS)
def test_keys_and_texts_of_any_kind_are_what_protobuf_writes(key: str, text: str) -> None:
    pair = KeyValue(key=questioned(key), value=AnyValue(string_value=questioned(text)))
    expected = Span(attributes=[pair]).SerializeToString()
    assert wire.attribute(key, wire.text(text)) == expected
    assert wire.text_attribute(wire.key_head(key), text) == expected


@given(st.floats())
@example(0.0)
@example(-0.0)
@example(math.nan)
@example(math.inf)
@example(5e-324)
def test_doubles_are_what_protobuf_writes(number: float) -> None:
    value = AnyValue(double_value=number)
    assert wire.double(number) == value.SerializeToString()
    attribute = Span(attributes=[KeyValue(key="score", value=value)]).SerializeToString()
    assert wire.double_head("score") + struct.pack("<d", number) == attribute


@given(st.integers(-(2**63), 2**63 - 1))
@example(-1)
@example(-(2**63))
@example(2**63 - 1)
def test_whole_numbers_are_what_protobuf_writes(number: int) -> None:
    assert wire.integer(number) == AnyValue(int_value=number).SerializeToString()


@given(st.binary(max_size=3000))
def test_bytes_are_what_protobuf_writes(content: bytes) -> None:
    assert wire.raw(content) == AnyValue(bytes_value=content).SerializeToString()


@given(st.lists(TEXTS, max_size=5))
def test_lists_are_what_protobuf_writes(texts: list[str]) -> None:
    values = [AnyValue(string_value=questioned(text)) for text in texts]
    expected = AnyValue(array_value=ArrayValue(values=values)).SerializeToString()
    assert wire.array([wire.text(text) for text in texts]) == expected


@pytest.mark.parametrize("value", [True, False])
def test_booleans_are_what_protobuf_writes(value: bool) -> None:
    assert wire.boolean(value) == AnyValue(bool_value=value).SerializeToString()


def test_keys_that_nobody_meant_to_have_take_no_memory() -> None:
    for number in range(5000):
        wire.attribute(f"ragvigil.slice.{number}", b"")
    wire.attribute("x" * 100_000, b"")
    kept = wire.KEY_HEADS
    assert len(kept) <= 2048
    assert max(map(len, kept)) < 256


@pytest.mark.parametrize("write", [wire.text, wire.utf8], ids=["text", "utf8"])
@pytest.mark.parametrize("value", [5, None, object()], ids=["number", "none", "object"])
def test_what_is_no_text_is_refused(write: Callable[[Any], bytes], value: object) -> None:
    with pytest.raises(AttributeError):
        write(value)
