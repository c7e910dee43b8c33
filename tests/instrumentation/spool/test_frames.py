"""The format of a segment, to the byte, and what damage does to it."""

import os
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.spool.frames import HEADER, MAX_SEGMENT_BYTES, Frame, Kind, TornSegment, packed, read_frames

Content = tuple[Kind, bytes]
CONTENTS = st.lists(st.tuples(st.sampled_from(Kind), st.binary(max_size=50)), max_size=6)


def read(content: bytes, offset: int = 0) -> tuple[list[Frame], bool]:
    """The frames of a file with this content, and whether it is torn."""
    descriptor = os.memfd_create("segment")
    try:
        os.write(descriptor, content)
        frames: list[Frame] = []
        try:
            for frame in read_frames(descriptor, offset):
                frames.append(frame)  # noqa: PERF402 - those before the exception count
        except TornSegment:
            return frames, True
        return frames, False
    finally:
        os.close(descriptor)


def segment(contents: list[Content]) -> bytes:
    return HEADER + b"".join(packed(kind, payload) for kind, payload in contents)


def test_a_frame_is_kind_length_checksum_payload() -> None:
    checksum = zlib.crc32(b"\x01payload")
    assert packed(Kind.TRACES, b"payload") == b"\x01" + struct.pack("<II", 7, checksum) + b"payload"
    assert HEADER == b"RVSP0001"
    assert MAX_SEGMENT_BYTES == 8 * 1024 * 1024


@given(CONTENTS)
def test_what_is_written_is_read(contents: list[Content]) -> None:
    frames, is_torn = read(segment(contents))
    assert [(frame.kind, frame.payload) for frame in frames] == contents
    assert not is_torn


@given(CONTENTS)
def test_reading_goes_on_where_it_stopped(contents: list[Content]) -> None:
    whole, _ = read(segment(contents))
    for number, frame in enumerate(whole, start=1):
        assert read(segment(contents), frame.end)[0] == whole[number:]


@given(CONTENTS, st.data())
def test_a_cut_loses_only_the_frame_that_it_hits(contents: list[Content], data: st.DataObject) -> None:
    content = segment(contents)
    whole, _ = read(content)
    cut = data.draw(st.integers(0, len(content)))
    frames, is_torn = read(content[:cut])
    assert frames == [frame for frame in whole if frame.end <= cut]
    assert is_torn == (cut not in {0, len(HEADER), *(frame.end for frame in whole)})


@given(CONTENTS.filter(bool), st.data())
def test_a_flipped_bit_is_noticed(contents: list[Content], data: st.DataObject) -> None:
    content = bytearray(segment(contents))
    whole, _ = read(bytes(content))
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= 1 << data.draw(st.integers(0, 7))
    frames, is_torn = read(bytes(content))
    assert is_torn
    assert frames == ([] if at < len(HEADER) else [frame for frame in whole if frame.end <= at])


@given(st.binary(max_size=200))
def test_noise_is_never_taken_for_frames(noise: bytes) -> None:
    frames, _ = read(HEADER + noise)
    assert all(frame.kind in set(Kind) for frame in frames)
    assert read(b"x" + noise) == ([], True)


def test_a_length_beyond_a_segment_is_not_believed(tmp_path: Path) -> None:
    file = tmp_path / "sparse"
    file.write_bytes(HEADER + struct.pack("<BII", 1, MAX_SEGMENT_BYTES + 1, 0))
    os.truncate(file, 1 << 33)
    descriptor = os.open(file, os.O_RDONLY)
    try:
        with pytest.raises(TornSegment, match="no frame at 8"):
            next(read_frames(descriptor))
    finally:
        os.close(descriptor)
