"""Which traces are recorded, decided before anything of them is made."""

from collections.abc import Callable
from typing import Final, TypeAlias

from ragvigil.guard import GUARD

Share: TypeAlias = float | Callable[[str], float]
"""A share of the traces in [0, 1], or a function that gives one for the name of what begins a trace."""

_RANDOM_PART: Final = (1 << 64) - 1
"""The bits of a trace id that decide, the same as in the SDK: with the same share both keep the same traces."""


class Sampler:
    """Decides by the trace id, so that every process with the same share keeps the same traces."""

    __slots__ = ("_share",)

    def __init__(self, share: Share) -> None:
        self._share = share

    def probability(self, trace_number: int, name: str) -> float:
        """With which probability in (0, 1] a trace like this is recorded; 0 for one that is not."""
        share = self._share if isinstance(self._share, float | int) else _asked(self._share, name)
        return share if (trace_number & _RANDOM_PART) < share * (_RANDOM_PART + 1) else 0.0


def _asked(share: Callable[[str], float], name: str) -> float:
    """What the application's function says; where it fails or gives no share, everything is recorded."""
    try:
        given: object = share(name)
        if isinstance(given, float | int) and 0 <= given <= 1:
            return given
        GUARD.report("configure(sample=...) gave no share from 0 to 1; all is recorded")
    except Exception as failure:  # noqa: BLE001 - the application's function may raise anything, and it costs nobody
        GUARD.report(f"configure(sample=...) raised {type(failure).__name__}; all is recorded")
    return 1.0
