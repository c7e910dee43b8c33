"""The draw of one answer or retrieval: by a hash, in every stratum on its own.

u_s = uint64(HMAC-SHA256(salt, stratum, policy version, unit)) / 2^64, and the stratum takes the unit if u_s < p_s.
Hashes of different strata are independent, so a unit is drawn with π = 1 - Π (1 - p_s) over the strata that hold it.
It is named by trace id and span id: a trace may hold several, and they are drawn independently.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ragvigil_monitor.review.salt import Salt

POLICY_VERSION: Final = "1"
"""Part of every hash: a new number draws anew."""

UnitKey = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Membership:
    """One stratum that holds a unit: its p, and u / p, below 1 where it took the unit."""

    stratum: str
    probability: float
    priority: float

    @property
    def is_taken(self) -> bool:
        """Whether the stratum took the unit."""
        return self.priority < 1


def memberships(salt: Salt, unit: UnitKey, shares: Mapping[str, float]) -> list[Membership]:
    """The draw of one unit in the strata that hold it; `shares` are their p > 0."""
    return [
        Membership(stratum, share, salt.uniform(f"{stratum}\0{POLICY_VERSION}", *unit) / share)
        for stratum, share in shares.items()
    ]


def inclusion_probability(shares: Mapping[str, float], sampling_probability: float) -> float:
    """With what chance a unit is drawn by at least one of its strata, and was recorded at all."""
    return sampling_probability * (1 - math.prod(1 - share for share in shares.values()))
