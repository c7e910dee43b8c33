"""What a file holds: requests one after the other, and pieces that are none."""

from dataclasses import dataclass
from enum import StrEnum


class Signal(StrEnum):
    """What an export request carries."""

    TRACES = "traces"
    LOGS = "logs"
    METRICS = "metrics"


@dataclass(frozen=True, slots=True)
class Found:
    """One export request as it lies in the file. end: the offset in bytes at which the next one begins."""

    signal: Signal
    body: bytes
    content_type: str
    end: int


@dataclass(frozen=True, slots=True)
class Refused:
    """A piece of the file that is no request. reason: a word for counting. content: how it begins; empty for zeros."""

    reason: str
    content: bytes
    end: int


Piece = Found | Refused

ZEROS = "zeros_in_file"
"""The reason of zeros where requests may have been."""
KEPT_BYTES = 1 << 16
"""So much of a refused piece is handed on; a line of a gigabyte would fill the memory."""
