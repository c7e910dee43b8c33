"""Which traces are probed: a share of them, by a keyed hash of the trace id."""

import hmac
from typing import Final

_HASHES: Final = 1 << 64


class ProbeSample:
    """Every process with the same key takes the same traces; nobody without it can tell which."""

    __slots__ = ("_key", "_limit", "share")

    def __init__(self, share: float, key: bytes) -> None:
        self.share = share
        self._key = key
        self._limit = share * _HASHES

    def takes(self, trace_number: int) -> bool:
        """Whether the searches of a trace are probed; with probability `share` over trace ids."""
        if self._limit == 0:
            return False
        digest = hmac.digest(self._key, trace_number.to_bytes(16, "big"), "sha256")
        return int.from_bytes(digest[:8], "big") < self._limit
