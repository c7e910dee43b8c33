"""Lines of a file that somebody writes at the same time."""

import os
import threading
from io import FileIO
from pathlib import Path

import pytest

from ragvigil_monitor.receiver.files.found import Found, Piece
from ragvigil_monitor.receiver.files.lines import lines

LINE = b'{"resourceSpans":[{"x":"' + b"a" * 30_000 + b'"}]}\n'
MOST = 1 << 20


def bodies(pieces: list[Piece]) -> list[bytes]:
    return [piece.body if isinstance(piece, Found) else piece.content for piece in pieces]


class Growing(FileIO):
    """A file to which something is appended as soon as its end was seen for the first time."""

    def __init__(self, path: Path, more: bytes) -> None:
        super().__init__(path)
        self._path, self._more = path, more

    def readline(self, size: int | None = -1, /) -> bytes:
        found = super().readline(-1 if size is None else size)
        if self._more and not found.endswith(b"\n"):
            more, self._more = self._more, b""
            with self._path.open("ab") as file:
                file.write(more)
        return found


@pytest.mark.parametrize("cut", [1, 90, len(LINE) - 1])
def test_a_line_that_is_completed_while_it_is_read_waits_whole(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "otel.json"
    path.write_bytes(LINE + LINE[:cut])
    with Growing(path, LINE[cut:] + LINE) as file:
        first = list(lines(file, 0, MOST, is_whole=False))
    assert [piece.end for piece in first] == [len(LINE)]
    with path.open("rb") as file:
        assert bodies(list(lines(file, len(LINE), MOST, is_whole=False))) == [LINE.strip()] * 2


def test_no_line_is_lost_while_another_thread_writes(tmp_path: Path) -> None:
    path = tmp_path / "otel.json"
    path.touch()
    writer = threading.Thread(target=write_in_pieces, args=(path, 300))
    writer.start()
    found: list[bytes] = []
    offset = 0
    is_last = False
    while not is_last:
        is_last = not writer.is_alive()
        with path.open("rb") as file:
            for piece in lines(file, offset, MOST, is_whole=False):
                offset = piece.end
                found += bodies([piece])
    assert found == [LINE.strip()] * 300


def write_in_pieces(path: Path, times: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    for _ in range(times):
        for start in range(0, len(LINE), 4096):
            os.write(descriptor, LINE[start : start + 4096])
    os.close(descriptor)
