"""The files of an export in one body: they come back, and a body that ends early is noticed wherever it ends."""

from collections.abc import Iterator
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.transfer.exporting import Part
from ragvigil_monitor.transfer.framed_parts import framed, unframed

FILES = [(Part("spans", date(2026, 11, 30)), [b"a" * 10, b"", b"b"]), (Part("audit"), []), (Part("alerts"), [b"c"])]
BODY = b"".join(framed(FILES))


def chunks(body: bytes, size: int) -> Iterator[bytes]:
    return (body[start : start + size] for start in range(0, len(body), size))


def read(body: bytes, size: int = 7) -> list[tuple[Part, bytes]]:
    return [(part, b"".join(content)) for part, content in unframed(chunks(body, size))]


@given(st.lists(st.lists(st.binary(max_size=20), max_size=3), max_size=4), st.integers(1, 30))
def test_files_come_back_however_the_body_is_cut(contents: list[list[bytes]], size: int) -> None:
    files = [(Part(f"table{number}"), content) for number, content in enumerate(contents)]
    assert read(b"".join(framed(files)), size) == [(part, b"".join(content)) for part, content in files]


def test_what_is_not_read_of_a_file_is_passed_over() -> None:
    assert [part for part, _ in unframed(chunks(BODY, 5))] == [part for part, _ in FILES]


@pytest.mark.parametrize("end", range(len(BODY)))
def test_a_body_that_ends_early_is_refused(end: int) -> None:
    with pytest.raises(ValueError, match="too early"):
        read(BODY[:end])


@pytest.mark.parametrize(
    "body",
    [
        b"<html>an answer of another program</html>",
        b"\xff" * 100,
        *(len(name).to_bytes(4, "little") + name for name in (b"{}", b"null", b"{", b"[1, 2]", b'["a", "soon"]')),
        *(len(name).to_bytes(4, "little") + name for name in (b'["../a", null]', b'["/etc/a", null]')),
    ],
    ids=repr,
)
def test_another_body_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read(body)
