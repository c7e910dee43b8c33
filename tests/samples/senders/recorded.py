"""Requests of stock senders, as they were on the wire."""

import base64
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Self

import httpx

FOLDER: Final = Path(__file__).with_name("recordings")
_OF_THE_CONNECTION: Final = {"host", "content-length", "connection"}


@dataclass(frozen=True, slots=True)
class Recorded:
    """One POST. `made_by`: the sender with its version, or how it was made by hand."""

    made_by: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read one recording."""
        found = json.loads(file.read_text(encoding="utf-8"))
        return cls(**{**found, "body": base64.b64decode(found["body"])})

    def write(self, name: str) -> None:
        """Keep it under a name, without what belongs to one connection."""
        headers = {key.lower(): value for key, value in self.headers.items()}
        kept = {key: value for key, value in headers.items() if key not in _OF_THE_CONNECTION}
        fields = {**asdict(self), "headers": kept, "body": base64.b64encode(self.body).decode()}
        (FOLDER / f"{name}.json").write_text(json.dumps(fields, indent=1) + "\n", encoding="utf-8")

    def send(self, url: str) -> httpx.Response:
        """Send it once more with its own headers only, in chunks if it came so."""
        given = dict(self.headers)
        in_chunks = given.pop("transfer-encoding", None) == "chunked"
        with httpx.Client(base_url=url, timeout=30) as client:
            client.headers.clear()
            return client.post(self.path, content=self._chunks() if in_chunks else self.body, headers=given)

    def _chunks(self) -> Iterator[bytes]:
        yield from (self.body[start : start + 256] for start in range(0, len(self.body), 256))


def recordings() -> dict[str, Recorded]:
    """All recordings by name."""
    return {file.stem: Recorded.read(file) for file in sorted(FOLDER.glob("*.json"))}
