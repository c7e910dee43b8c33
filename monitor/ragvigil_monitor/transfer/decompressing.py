"""Files that are compressed as a whole, with gzip or zstd."""

import gzip
import shutil
import tempfile
import zlib
from pathlib import Path
from typing import IO, Final

from ragvigil_monitor.errors import FileRefused

GZIP_MAGIC: Final = b"\x1f\x8b"
_PORTION: Final = 512
"""zstd makes up to 32,000 times as much of what it is given, in memory."""
_LARGEST_WINDOW: Final = 8 << 20


def decompressed(path: Path, file: IO[bytes]) -> IO[bytes]:
    """What a file holds, in a temporary file that goes when it is closed; raises FileRefused where it is damaged."""
    import zstandard  # few files need it

    plain = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    try:
        file.seek(0)
        is_gzip = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        (_gunzip if is_gzip else _unzstd)(file, plain)
    except (OSError, EOFError, zlib.error, zstandard.ZstdError) as failure:
        plain.close()
        raise FileRefused(f"{path} cannot be decompressed: {failure}; nothing of it is imported.") from failure
    return plain


def _gunzip(file: IO[bytes], plain: IO[bytes]) -> None:
    with gzip.open(file) as unzipped:
        shutil.copyfileobj(unzipped, plain, 1 << 20)


def _unzstd(file: IO[bytes], plain: IO[bytes]) -> None:
    """Frame by frame: a Collector begins one each time that it flushes."""
    import zstandard

    decoder = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
    frame = None
    rest = b""
    while rest or (rest := file.read(_PORTION)):
        frame = frame or decoder.decompressobj()
        plain.write(frame.decompress(rest))
        rest, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    if frame is not None:
        raise EOFError("it ends too early")
