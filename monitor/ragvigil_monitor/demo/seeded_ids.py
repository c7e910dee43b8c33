"""Trace and span ids that are the same in every run with the same seed."""

from ragvigil_monitor.demo.dice import dice


class SeededIds:
    """Ids for the simulation; an `IdGenerator` of `ragvigil`."""

    def __init__(self, seed: int) -> None:
        self._random = dice(seed, "ids")

    def generate_trace_id(self) -> int:
        """128 bits, not zero."""
        return self._random.getrandbits(128) or 1

    def generate_span_id(self) -> int:
        """64 bits, not zero."""
        return self._random.getrandbits(64) or 1
