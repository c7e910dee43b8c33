"""Files of export requests in any of the formats that an import reads."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from ragvigil.spool.frames import HEADER, Kind, TornSegment, read_frames
from ragvigil_monitor.errors import FileRefused
from ragvigil_monitor.receiver.bodies import JSON, PROTOBUF
from ragvigil_monitor.receiver.files.found import KEPT_BYTES, Found, Piece, Refused, Signal
from ragvigil_monitor.receiver.files.framed import ZSTD_MAGIC
from ragvigil_monitor.receiver.files.reading import beginning_of, growing
from ragvigil_monitor.receiver.files.signals import signal_of_json, signal_of_protobuf
from ragvigil_monitor.transfer.decompressing import GZIP_MAGIC, decompressed

_BODY_BEGINNING: Final = b"\n"
"""The first field of a request in protobuf; a file of lines hardly begins with an empty one."""
_SIGNALS: Final = {Kind.TRACES: Signal.TRACES, Kind.LOGS: Signal.LOGS}


def pieces(path: Path, max_bytes: int) -> Iterator[Piece]:
    """What a file holds, one request in memory at a time; raises FileRefused for a file of no known format."""
    with path.open("rb") as file:
        beginning = beginning_of(file)
        if beginning.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
            with decompressed(path, file) as plain:
                yield from _pieces(path, plain, max_bytes)
        else:
            yield from _pieces(path, file, max_bytes)


def _pieces(path: Path, file: IO[bytes], max_bytes: int) -> Iterator[Piece]:
    beginning = beginning_of(file)
    body = _whole_body(file, beginning, max_bytes)
    if body is not None:
        return iter([body])
    if beginning.startswith(HEADER[:4]):
        return _frames(file)
    form = growing(beginning)
    if form is None or not _looks_right(file, beginning):
        what = "empty" if not beginning else "neither lines of OTLP/JSON, protobuf, a spool segment nor Parquet"
        raise FileRefused(f"{path} is {what}; nothing of it is imported.")
    return form(file, 0, max_bytes, is_whole=True)


def _whole_body(file: IO[bytes], beginning: bytes, max_bytes: int) -> Found | None:
    """The one request that a file is: protobuf, or JSON over several lines."""
    if not beginning.startswith((_BODY_BEGINNING, b"{", b" ", b"\r")):
        return None
    file.seek(0)
    first = file.readline(max_bytes + 1)
    rest = file.read(max_bytes + 1 - len(first)) if len(first) <= max_bytes else b""
    if len(first) + len(rest) > max_bytes:
        return None
    if beginning.startswith(_BODY_BEGINNING) and (signal := signal_of_protobuf(first + rest)) is not None:
        return Found(signal, first + rest, PROTOBUF, file.tell())
    if rest and signal_of_json(first.strip()) is None and (signal := signal_of_json(first + rest)) is not None:
        return Found(signal, (first + rest).replace(b"\n", b" "), JSON, file.tell())
    return None


def _looks_right(file: IO[bytes], beginning: bytes) -> bool:
    """Whether one of the first lines is JSON: a text of another kind is not read as a thousand damaged lines."""
    if beginning[0] < 0x20 and not beginning[:1].isspace():
        return True
    file.seek(0)
    return any(line.lstrip().startswith(b"{") for line in file.read(KEPT_BYTES).split(b"\n"))


def _frames(file: IO[bytes]) -> Iterator[Piece]:
    """The frames of a spool segment, up to where it is damaged."""
    end = 0
    try:
        for frame in read_frames(file.fileno()):
            end = frame.end
            yield Found(_SIGNALS[frame.kind], frame.payload, PROTOBUF, frame.end)
    except TornSegment as torn:
        yield Refused("spool_damaged", str(torn).encode(), end)
