"""What made a vector. Vectors of different encoders are never compared."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True, order=True)
class Encoder:
    """A model, '' where none was named, and the dimension of its vectors."""

    model: str
    dimension: int

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        """The encoder of a row that has these columns among others."""
        return cls(row["model"], row["dimension"])

    @property
    def columns(self) -> dict[str, Any]:
        """As columns of a row and as parameters of a question."""
        return asdict(self)

    def __str__(self) -> str:
        return f"{self.model or 'an unnamed model'} ({self.dimension} numbers)"
