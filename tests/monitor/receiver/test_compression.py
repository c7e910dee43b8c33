"""Bodies that are compressed, and bodies that only say so."""

import gzip
from collections.abc import Callable

import pytest
import zstandard

from ragvigil_monitor.errors import BadTelemetry
from ragvigil_monitor.receiver.compression import decompressed

LIMIT = 100_000
TEXT = b"evidence " * 1000
CODERS: dict[str, Callable[[bytes], bytes]] = {"gzip": gzip.compress, "zstd": zstandard.compress}

of_each = pytest.mark.parametrize("encoding", CODERS)


@of_each
def test_what_was_compressed_comes_back(encoding: str) -> None:
    assert decompressed(CODERS[encoding](TEXT), encoding, LIMIT) == TEXT


@of_each
def test_several_frames_are_one_body(encoding: str) -> None:
    frames = CODERS[encoding](TEXT[:100]) + CODERS[encoding](TEXT[100:])
    assert decompressed(frames, encoding, LIMIT) == TEXT


@of_each
def test_a_body_in_very_many_parts_is_refused_before_it_costs_much(encoding: str) -> None:
    with pytest.raises(BadTelemetry, match="in more than 64 parts"):
        decompressed(CODERS[encoding](b"") * 10_000, encoding, LIMIT)


@of_each
def test_exactly_the_limit_is_accepted(encoding: str) -> None:
    assert len(decompressed(CODERS[encoding](bytes(LIMIT)), encoding, LIMIT)) == LIMIT


@of_each
def test_more_than_the_limit_is_refused(encoding: str) -> None:
    with pytest.raises(BadTelemetry, match="longer than 100000 bytes") as refused:
        decompressed(CODERS[encoding](bytes(LIMIT + 1)), encoding, LIMIT)
    assert refused.value.status == 413


def test_a_small_body_that_would_fill_the_memory_is_refused() -> None:
    bomb = zstandard.compress(bytes(500 * LIMIT)) * 20
    assert len(bomb) < LIMIT
    with pytest.raises(BadTelemetry, match="longer than"):
        decompressed(bomb, "zstd", LIMIT)


def test_a_window_larger_than_the_standard_asks_for_is_refused() -> None:
    parameters = zstandard.ZstdCompressionParameters(window_log=27, enable_ldm=True)
    greedy = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    body = greedy.compress(TEXT) + greedy.flush()
    with pytest.raises(BadTelemetry, match="not zstd as Content-Encoding says"):
        decompressed(body, "zstd", LIMIT)


@of_each
@pytest.mark.parametrize("length", [1, 8, 20, -1])
def test_a_body_that_ends_too_early_is_refused(encoding: str, length: int) -> None:
    with pytest.raises(BadTelemetry, match=r"ends too early|not zstd"):
        decompressed(CODERS[encoding](TEXT)[:length], encoding, LIMIT)


@of_each
@pytest.mark.parametrize("body", [TEXT, bytes(20)], ids=["plain", "zeros"])
def test_a_body_that_is_not_compressed_is_refused(encoding: str, body: bytes) -> None:
    with pytest.raises(BadTelemetry, match=f"not {encoding} as Content-Encoding says"):
        decompressed(body, encoding, LIMIT)


def test_zeros_that_fill_up_a_block_of_gzip_are_passed_over() -> None:
    padded = gzip.compress(TEXT) + bytes(512)
    assert decompressed(padded, "gzip", LIMIT) == TEXT
    assert decompressed(padded + padded, "gzip", LIMIT) == 2 * TEXT
    with pytest.raises(BadTelemetry, match="not gzip as"):
        decompressed(padded + b"rubbish", "gzip", LIMIT)


@of_each
def test_rubbish_behind_the_end_is_refused(encoding: str) -> None:
    with pytest.raises(BadTelemetry, match=f"not {encoding} as"):
        decompressed(CODERS[encoding](TEXT) + b"rubbish", encoding, LIMIT)


@pytest.mark.parametrize("encoding", ["", "identity"])
def test_a_plain_body_stays_as_it_is(encoding: str) -> None:
    assert decompressed(TEXT, encoding, LIMIT) == TEXT
