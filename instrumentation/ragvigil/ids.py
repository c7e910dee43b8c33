"""Trace and span ids."""

import os
import random
from typing import Protocol


class IdGenerator(Protocol):
    """The part of the OpenTelemetry SDK's `IdGenerator` that is needed."""

    def generate_trace_id(self) -> int:
        """A new trace id in [1, 2^128)."""
        ...

    def generate_span_id(self) -> int:
        """A new span id in [1, 2^64)."""
        ...


class RandomIds:
    """Random ids from a generator of its own, so that a seeded `random` of the application repeats none of them."""

    def __init__(self) -> None:
        self._random = random.Random(os.urandom(32))  # noqa: S311 - ids must be unique, not secret

    def generate_trace_id(self) -> int:
        """128 random bits, not zero."""
        return self._random.getrandbits(128) or 1

    def generate_span_id(self) -> int:
        """64 random bits, not zero."""
        return self._random.getrandbits(64) or 1


def random_uuid() -> str:
    """A random UUID (RFC 9562, version 4) as text, at half the cost of `uuid.uuid4`."""
    digits = os.urandom(16).hex()
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"
