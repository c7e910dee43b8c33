"""What an export says of itself, in a file beside its others."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ragvigil_monitor.errors import FileRefused
from ragvigil_monitor.store.movable import BY_NAME
from ragvigil_monitor.transfer.exporting import Format

MANIFEST: Final = "export.json"
UNFINISHED: Final = MANIFEST + ".part"
"""Its name while the others are written."""
_MOST_BYTES: Final = 64 << 20
_OTLP: Final = {
    "traces": "spans and answers, one OTLP/JSON request a line",
    "logs": "log records, feedback among them, one OTLP/JSON request a line",
}


class ExportedFile(BaseModel):
    """One file. name: its path in the export. rows: of a table; for OTLP, lines, each a request of many spans."""

    model_config = ConfigDict(frozen=True)

    name: str
    table: str
    rows: int = Field(ge=0)
    bytes: int = Field(ge=0)
    sha256: str


class ExportedTable(BaseModel):
    """meaning: what a row is. rows: in all files. cut_by: the time by which a period is cut; None: always whole."""

    model_config = ConfigDict(frozen=True)

    meaning: str
    rows: int = Field(ge=0)
    cut_by: str | None


class Manifest(BaseModel):
    """schema_number: of the store that was exported. start, end: the period asked for; None: not bounded."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    made_by: str
    made_at: datetime
    format: Format
    schema_number: int
    start: datetime | None = Field(alias="from")
    end: datetime | None = Field(alias="until")
    tables: Mapping[str, ExportedTable]
    files: Sequence[ExportedFile]

    def text(self) -> str:
        """As it is written."""
        return self.model_dump_json(indent=2, by_alias=True) + "\n"


def tables_of(files: Sequence[ExportedFile]) -> dict[str, ExportedTable]:
    """What is in the files, table by table."""
    rows: dict[str, int] = {}
    for file in files:
        rows[file.table] = rows.get(file.table, 0) + file.rows
    return {name: _described(name, count) for name, count in rows.items()}


def _described(name: str, rows: int) -> ExportedTable:
    """A name that only a newer service knows has no meaning here."""
    table = BY_NAME.get(name)
    if table is None:
        return ExportedTable(meaning=_OTLP.get(name, ""), rows=rows, cut_by="day" if name in _OTLP else None)
    return ExportedTable(meaning=table.meaning, rows=rows, cut_by=table.time)


def read_manifest(path: Path) -> Manifest:
    """Read `export.json`; raises FileRefused where it is none, OSError where it cannot be read."""
    with path.open("rb") as file:
        text = file.read(_MOST_BYTES)
    try:
        return Manifest.model_validate_json(text)
    except ValidationError as failure:
        first = failure.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise FileRefused(
            f"{path} is not what an export of this version writes ({where}: {first['msg']}). "
            "To import files without their list, name them one by one."
        ) from failure
