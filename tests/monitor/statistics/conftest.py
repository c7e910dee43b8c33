"""Synthetic query traffic with a season, wandering topics and, if wanted, a topic that is new."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from ragvigil_monitor.statistics.hour_of_week import season_cells
from ragvigil_monitor.statistics.vector_windows import HourlySums

MONDAY_H = 4 * 24
"""The first Monday, in hours since the epoch."""


@dataclass(frozen=True)
class Traffic:
    """hourly: sums of all weeks. second_moment: sum of outer products over the first four."""

    hourly: HourlySums
    second_moment: NDArray[np.float64]


@pytest.fixture
def traffic() -> Callable[..., Traffic]:
    """Makes weeks of queries about twelve topics, whose shares depend on the hour and wander from day to day."""
    return _traffic


def _traffic(
    seed: int, *, weeks: int, per_hour: float = 120, dimension: int = 24, new_from_h: int = 10**9, new_share: float = 0
) -> Traffic:
    rng = np.random.default_rng(seed)
    hours = MONDAY_H + np.arange(168 * weeks)
    shares = _topic_shares(rng, hours)
    topics = rng.normal(size=(shares.shape[1] + 1, dimension))
    topics /= np.linalg.norm(topics, axis=1)[:, None]
    counts = rng.poisson(_load(hours, per_hour))
    sums, second_moment = np.zeros((len(hours), dimension)), np.zeros((dimension, dimension))
    for hour, (n, share) in enumerate(zip(counts, shares, strict=True)):
        topic = rng.choice(len(share), n, p=share)
        if hour >= new_from_h:
            topic[rng.random(n) < new_share] = len(share)
        vectors = topics[topic] + rng.normal(0, 0.9 / np.sqrt(dimension), size=(n, dimension))
        vectors /= np.linalg.norm(vectors, axis=1)[:, None]
        sums[hour] = vectors.sum(axis=0)
        second_moment += vectors.T @ vectors if hour < 168 * 4 else 0
    return Traffic(HourlySums(hours, counts.astype(float), sums, counts.astype(float)), second_moment)


def _load(hours: NDArray[np.int64], per_hour: float) -> NDArray[np.float64]:
    by_day = 0.15 + 0.85 * np.exp(-(((hours % 24 - 13) / 5) ** 2))
    return per_hour * by_day * np.where(season_cells(hours) >= 24, 0.35, 1.0)


def _topic_shares(rng: np.random.Generator, hours: NDArray[np.int64]) -> NDArray[np.float64]:
    level, swing, weekend = rng.normal(0, 0.7, 12), rng.normal(0, 0.5, 12), rng.normal(0, 0.5, 12)
    phase = 2 * np.pi * (hours[:, None] % 24 - rng.uniform(0, 24, 12)) / 24
    wandering = np.zeros((len(hours), 12))
    memory = np.exp(-1 / 24)
    for hour in range(1, len(hours)):
        wandering[hour] = memory * wandering[hour - 1] + 0.25 * np.sqrt(1 - memory**2) * rng.normal(size=12)
    logits = level + swing * np.cos(phase) + weekend * (season_cells(hours) >= 24)[:, None] + wandering
    shares: NDArray[np.float64] = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return shares
