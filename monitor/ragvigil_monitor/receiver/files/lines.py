"""Requests as lines of OTLP/JSON."""

import os
from collections.abc import Iterator
from typing import IO, Final

from ragvigil_monitor.receiver.bodies import JSON
from ragvigil_monitor.receiver.files.found import KEPT_BYTES, ZEROS, Found, Piece, Refused
from ragvigil_monitor.receiver.files.holes import are_in_place_of_data, behind_zeros
from ragvigil_monitor.receiver.files.signals import signal_of_json

_PORTION: Final = 1 << 20


def lines(file: IO[bytes], offset: int, max_bytes: int, *, is_whole: bool) -> Iterator[Piece]:
    """The lines from an offset on, which begins one. is_whole: nobody writes any more, so what is left is the last.

    Holds one line in memory, at most `max_bytes`; of a longer one only its beginning. Zeros are left out where a
    file begins with a hole, and refused elsewhere.
    """
    file.seek(offset)
    while line := file.readline(max_bytes + 2):
        if line.startswith(b"\0"):
            start, offset = offset, behind_zeros(file, offset)
            file.seek(offset)
            if offset < os.fstat(file.fileno()).st_size and are_in_place_of_data(file, start, offset):
                yield Refused(ZEROS, b"", offset)
                file.seek(offset)
            continue
        is_cut = len(line) == max_bytes + 2 and not line.endswith(b"\n")
        is_too_long = is_cut or len(line.rstrip(b"\r\n")) > max_bytes
        is_complete = line.endswith(b"\n") or (is_cut and _is_ended(file))
        offset = file.tell()
        if not (is_complete or is_whole):
            return
        if is_too_long:
            yield Refused("line_too_long", line[:KEPT_BYTES], offset)
        elif line.strip():
            yield _piece(line.strip(), offset)


def _is_ended(file: IO[bytes]) -> bool:
    """Read on to the end of a line that is too long; whether it has one."""
    while portion := file.readline(_PORTION):
        if portion.endswith(b"\n"):
            return True
    return False


def _piece(line: bytes, end: int) -> Piece:
    signal = signal_of_json(line)
    if signal is None:
        return Refused("line_unreadable", line[:KEPT_BYTES], end)
    return Found(signal, line, JSON, end)
