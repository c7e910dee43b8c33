"""Tables as Parquet, made piece by piece, and read back so."""

from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

TABLE_KEY: Final = b"ragvigil.table"
"""Where the metadata of a file says which table it holds."""
ROW_GROUP_BYTES: Final = 32 << 20
MAX_GROUP_ROWS: Final = 1 << 20
READ_ROWS: Final = 8192
_BUFFER_BYTES: Final = 1 << 20
"""So much of a column is read of a file at once, which may have all its rows in one group."""
_STEP_ROWS: Final = 32
"""So many are read at once, since nothing in a file says how large its rows become in memory; and so many rows at most
are one page, which is in memory as a whole when it is read, if each is large."""


def parquet_chunks(table: str, reader: pa.RecordBatchReader) -> Iterator[bytes]:
    """The bytes of one file, of which about ROW_GROUP_BYTES are in memory at once."""
    sink = _Sink()
    schema = reader.schema.with_metadata({TABLE_KEY: table.encode()})
    with pq.ParquetWriter(sink, schema, compression="zstd", write_batch_size=_STEP_ROWS) as writer:
        for group in _groups(reader, ROW_GROUP_BYTES, MAX_GROUP_ROWS):
            writer.write_table(pa.Table.from_batches(group).cast(schema), row_group_size=MAX_GROUP_ROWS)
            yield sink.take()
    yield sink.take()


def _groups(
    batches: Iterable[pa.RecordBatch], most_bytes: int, most_rows: int = READ_ROWS
) -> Iterator[list[pa.RecordBatch]]:
    """Batches until they have so many bytes or rows; the last of them may go beyond."""
    group: list[pa.RecordBatch] = []
    size = rows = 0
    for batch in batches:
        group.append(batch)
        size += batch.nbytes
        rows += batch.num_rows
        if size >= most_bytes or rows >= most_rows:
            yield group
            group, size, rows = [], 0, 0
    if group:
        yield group


class _Sink(BytesIO):
    """A file that forgets what was taken from it, and knows how much that was."""

    def __init__(self) -> None:
        super().__init__()
        self._taken = 0

    def tell(self) -> int:
        return self._taken + super().tell()

    def take(self) -> bytes:
        """What was written since the last time."""
        found = self.getvalue()
        self._taken += len(found)
        self.seek(0)
        self.truncate()
        return found

    def close(self) -> None:
        """Stay readable: the writer closes it before its last bytes are taken."""


def table_name(path: Path) -> str:
    """The table that a file holds: as its metadata says, else as it or its folder is called."""
    metadata = pq.read_schema(path).metadata or {}
    if TABLE_KEY in metadata:
        return str(metadata[TABLE_KEY].decode("utf-8", "replace"))
    return path.parent.name if path.stem[:1].isdigit() else path.stem


def row_batches(path: Path, most_bytes: int) -> Iterator[pa.Table]:
    """The rows of a file in portions of at most READ_ROWS and about `most_bytes`, each of one row group."""
    with pq.ParquetFile(path, pre_buffer=False, buffer_size=_BUFFER_BYTES) as file:
        for place in range(file.num_row_groups):
            for group in _groups(file.iter_batches(_STEP_ROWS, row_groups=[place]), most_bytes):
                yield from _portions(pa.Table.from_batches(group).replace_schema_metadata(), most_bytes)


def _portions(rows: pa.Table, most_bytes: int) -> Iterator[pa.Table]:
    portions = max(1, -(-rows.nbytes // most_bytes))
    size = max(1, -(-rows.num_rows // portions))
    return (rows.slice(start, size) for start in range(0, rows.num_rows, size))


def to_ipc(rows: pa.Table) -> bytes:
    """Rows as an Arrow stream, as they travel."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows.combine_chunks())
    return bytes(sink.getvalue())


def from_ipc(body: bytes) -> pa.Table:
    """The rows of an Arrow stream; raises ValueError when it is none."""
    try:
        with pa.ipc.open_stream(body) as reader:
            rows = reader.read_all()
        rows.validate(full=True)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as failure:
        raise ValueError(f"The body is no Arrow stream: {failure}") from failure
    return rows
