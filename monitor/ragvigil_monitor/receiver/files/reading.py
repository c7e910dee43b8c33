"""A file of requests, whatever its format."""

from collections.abc import Callable, Iterator
from typing import IO, Final

from ragvigil_monitor.receiver.files.found import Piece
from ragvigil_monitor.receiver.files.framed import LENGTH_BYTES, ZSTD_MAGIC, framed
from ragvigil_monitor.receiver.files.holes import behind_zeros
from ragvigil_monitor.receiver.files.lines import lines

Format = Callable[..., Iterator[Piece]]
"""Of an open file, the offset to begin at, the longest request in bytes, and `is_whole`."""

_FORMAT_BYTES: Final = 8
_OTHERS: Final = (b"RVSP", b"PAR1", ZSTD_MAGIC, b"\x1f\x8b")
"""How files begin that are neither: spool segments, Parquet, and compressed as a whole with zstd or gzip."""


def growing(beginning: bytes) -> Format | None:
    """The format of a file that a Collector writes, by its first bytes; None for none of them.

    A length of four bytes begins with a control character, since requests are shorter than 512 MiB; a line does not.
    """
    if not beginning or beginning.startswith(_OTHERS):
        return None
    return framed if beginning[0] < 0x20 and not beginning[:1].isspace() else lines


def beginning_of(file: IO[bytes]) -> bytes:
    """The first bytes of a file, by which formats are told apart; behind zeros if it is a file of lines."""
    file.seek(0)
    beginning = file.read(_FORMAT_BYTES)
    if not beginning.startswith(bytes(LENGTH_BYTES)):
        return beginning
    file.seek(behind_zeros(file, 0))
    behind = file.read(_FORMAT_BYTES)
    return behind if behind.startswith(b'{"') else beginning
