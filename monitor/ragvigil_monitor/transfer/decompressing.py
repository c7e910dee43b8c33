"""Files that are compressed as a whole, with gzip or zstd."""

import gzip
import os
import shutil
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

from ragvigil_monitor.errors import FileRefused

GZIP_MAGIC: Final = b"\x1f\x8b"
LARGEST_RATIO: Final = 200
"""Telemetry becomes 10 to 50 times as large."""
ALWAYS_BYTES: Final = 256 << 20
"""So much a file may become, however small it is."""
_PORTION: Final = 512
"""zstd makes up to 32,000 times as much of what it is given, in memory."""
_LARGEST_WINDOW: Final = 8 << 20


class _TooMuch(ValueError):  # noqa: N818 - what the content is
    """A file becomes more than it may."""


def decompressed(path: Path, file: IO[bytes]) -> IO[bytes]:
    """What a file holds, in a temporary file that goes when it is closed.

    Raises FileRefused where it is damaged, and where it becomes more than LARGEST_RATIO times as large, or would take
    more than half of the space that is free for temporary files.
    """
    import zstandard  # few files need it

    most_bytes = _most_bytes(file)
    plain = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    try:
        file.seek(0)
        is_gzip = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        for portion in (_gunzipped if is_gzip else _unzstd)(file):
            plain.write(portion)
            if plain.tell() > most_bytes:
                raise _TooMuch(f"it becomes more than {most_bytes:,} bytes; decompress it yourself if that is right")
    except (_TooMuch, OSError, EOFError, zlib.error, zstandard.ZstdError) as failure:
        plain.close()
        raise FileRefused(f"{path} cannot be decompressed: {failure}; nothing of it is imported.") from failure
    return plain


def _most_bytes(file: IO[bytes]) -> int:
    expected = max(ALWAYS_BYTES, LARGEST_RATIO * os.fstat(file.fileno()).st_size)
    return min(expected, shutil.disk_usage(tempfile.gettempdir()).free // 2)


def _gunzipped(file: IO[bytes]) -> Iterator[bytes]:
    with gzip.open(file) as unzipped:
        while portion := unzipped.read(1 << 20):
            yield portion


def _unzstd(file: IO[bytes]) -> Iterator[bytes]:
    """Frame by frame: a Collector begins one each time that it flushes."""
    import zstandard

    decoder = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    frame = None
    rest = b""
    while rest or (rest := file.read(_PORTION)):
        frame = frame or decoder.decompressobj()
        yield frame.decompress(rest)
        rest, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    if frame is not None:
        raise EOFError("it ends too early")
