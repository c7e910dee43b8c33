"""How long each stage takes, simulated: lognormal, slower under load, on days that are better and worse."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from functools import lru_cache
from random import Random
from typing import Self

from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.rhythm import load

MEDIAN_MS: Mapping[str, float] = {
    "rewrite": 14.0,
    "embed": 18.0,
    "filter": 4.0,
    "retrieve": 32.0,
    "rerank": 105.0,
    "assemble": 6.0,
    "generate": 430.0,
}
SPREAD: Mapping[str, float] = {"generate": 0.36, "rerank": 0.32}
"""Standard deviation of the logarithm of a duration; 0.25 for the other stages."""
DAILY_SPREAD = 0.04
"""The same from day to day, shared by all answers of a day."""
AT_FULL_LOAD = 1.12
"""How much longer everything takes in the busiest hour."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Median duration of each stage in ms."""

    median_ms: Mapping[str, float]
    seed: int

    @classmethod
    def normal(cls, seed: int) -> Self:
        """The durations of a healthy system: rerank p95 near 200 ms, the whole near 1 s."""
        return cls(MEDIAN_MS, seed)

    def slowed(self, stage: str, factor: float) -> Self:
        """The same with one stage `factor` times as slow."""
        return replace(self, median_ms={**self.median_ms, stage: self.median_ms[stage] * factor})

    def draw_ms(self, stage: str, at: datetime, rng: Random) -> float:
        """One duration of `stage` for an answer that is given at `at`."""
        common = _mood(self.seed, at.date()) * (1 + (AT_FULL_LOAD - 1) * load(at))
        return self.median_ms[stage] * common * math.exp(rng.gauss(0, SPREAD.get(stage, 0.25)))


@lru_cache(maxsize=128)
def _mood(seed: int, day: date) -> float:
    return math.exp(dice(seed, "mood", day).gauss(0, DAILY_SPREAD))
