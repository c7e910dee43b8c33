"""The draw of one answer: by a hash, in every stratum on its own.

u_s = uint64(HMAC-SHA256(salt, stratum, policy version, answer)) / 2^64, and the stratum takes the answer if u_s < p_s.
Hashes of different strata are independent, so an answer is drawn with π = 1 - Π (1 - p_s) over the strata that hold it.
An answer is named by trace id and span id: a trace may hold several, and they are drawn independently.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ragvigil_monitor.review.salt import Salt

POLICY_VERSION: Final = "1"
"""Part of every hash: a new number draws anew."""

AnswerKey = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Membership:
    """One stratum that holds an answer: its p, and u / p, below 1 where it took the answer."""

    stratum: str
    probability: float
    priority: float

    @property
    def is_taken(self) -> bool:
        """Whether the stratum took the answer."""
        return self.priority < 1


def memberships(salt: Salt, answer: AnswerKey, shares: Mapping[str, float]) -> list[Membership]:
    """The draw of one answer in the strata that hold it; `shares` are their p > 0."""
    return [
        Membership(stratum, share, salt.uniform(f"{stratum}\0{POLICY_VERSION}", *answer) / share)
        for stratum, share in shares.items()
    ]


def inclusion_probability(shares: Mapping[str, float], sampling_probability: float) -> float:
    """With what chance an answer is drawn by at least one of its strata, and was recorded at all."""
    return sampling_probability * (1 - math.prod(1 - share for share in shares.values()))
