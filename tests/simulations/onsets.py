"""Alerts with known origins: hourly counts, the markers seen in them, and what the triage says of both."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.guardrails.finding import HoursBeyond
from ragvigil_monitor.guardrails.models import Candidate
from ragvigil_monitor.guardrails.onset_dating import SHOWN_LEVEL, DatedOnset, dated_onset
from ragvigil_monitor.guardrails.triage import searched, triage_verdict

START = datetime(2026, 6, 1, tzinfo=UTC)
OPENED_H, DAY_H, WEEK_H = 120, 24, 168
CORRELATION_OF_WANDERING = 0.8
Origin = Literal["a release", "no release near", "no release", "no step"]


@dataclass(frozen=True, slots=True)
class World:
    """How traffic varies: answers an hour, usual rate, extra correlation within an hour, sd of a wandering log rate."""

    answers_per_hour: float = 100.0
    rate: float = 0.08
    correlation: float = 0.0
    wandering: float = 0.0


@dataclass(frozen=True, slots=True)
class Incident:
    """What happened. ratio: by which the rate rose. age_h: judged so long after the alert opened.

    releases_per_week: that have nothing to do with it, at random times. origin `no release near`: none of them from
    5 hours before to 4 hours after the step; `no release`: they lie where they lie.
    """

    origin: Origin
    ratio: float
    age_h: int
    releases_per_week: float = 3.0


@dataclass(frozen=True, slots=True)
class Simulated:
    """One alert. began_at: None without a step."""

    hours: HoursBeyond
    began_at: datetime | None
    released_at: list[datetime]


def simulate(world: World, incident: Incident, rng: np.random.Generator) -> Simulated:
    """The step fell 2 to 12 hours before the alert opened (rises below 2: 6 to 24); its release up to 30 min before."""
    delay_h = rng.uniform(*((2, 12) if incident.ratio >= 2 else (6, 24)))
    began_h = OPENED_H - delay_h
    length = OPENED_H + incident.age_h
    hours = _counts(world, incident, began_h, length, rng)
    unrelated = rng.uniform(0, length, rng.poisson(incident.releases_per_week * length / WEEK_H))
    released: dict[Origin, list[float]] = {
        "a release": [*unrelated, began_h - rng.uniform(0, 0.5)],
        "no release near": [each for each in unrelated if not began_h - 5 < each < began_h + 4],
        "no release": [*unrelated],
        "no step": [*unrelated],
    }
    began_at = None if incident.origin == "no step" else _moment(began_h)
    return Simulated(hours, began_at, [_moment(each) for each in released[incident.origin]])


def judged(simulated: Simulated) -> str:
    """The verdict; `no onset` where there is none."""
    dated = dated_onset(START, simulated.hours)
    return "no onset" if dated is None else triage_verdict(_candidates(simulated, dated)).value


def shares(world: World, incident: Incident, *, times: int, seed: int) -> dict[str, float]:
    """How often each verdict is given, as a share of the alerts that have an onset; `no onset`: of all."""
    rng = np.random.default_rng(seed)
    counted = Counter(judged(simulate(world, incident, rng)) for _ in range(times))
    undated = counted.pop("no onset", 0)
    dated = max(times - undated, 1)
    return {"no onset": undated / times} | {verdict: number / dated for verdict, number in counted.items()}


def coverage(world: World, incident: Incident, *, times: int, seed: int) -> float:
    """In which share of the dated alerts the interval that is shown holds the step."""
    rng = np.random.default_rng(seed)
    held = []
    for _ in range(times):
        simulated = simulate(world, incident, rng)
        dated = dated_onset(START, simulated.hours)
        if dated is not None and simulated.began_at is not None:
            earliest, latest = dated.interval(SHOWN_LEVEL)
            held.append(earliest <= simulated.began_at <= latest)
    return float(np.mean(held))


def _counts(world: World, incident: Incident, began_h: float, length: int, rng: np.random.Generator) -> HoursBeyond:
    hour = np.arange(length)
    day, season = (2 * np.pi * (hour / DAY_H + rng.random()) for _ in range(2))
    totals = rng.poisson(world.answers_per_hour * (1 + 0.7 * np.sin(day)))
    changed = np.clip(hour + 1 - began_h, 0, 1) if incident.origin != "no step" else np.zeros(length)
    usual = world.rate * (1 + 0.15 * np.sin(season)) * np.exp(_wandering(world.wandering, length, rng))
    rates = np.clip(usual * (1 + (incident.ratio - 1) * changed), 1e-6, 0.98)
    if world.correlation:
        s = 1 / world.correlation - 1
        rates = rng.beta(rates * s, (1 - rates) * s)
    return HoursBeyond(rng.binomial(totals, rates).astype(float), totals.astype(float))


def _wandering(sd: float, length: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """An autoregressive series of the first order."""
    noise = rng.normal(0, sd, length)
    series = np.empty(length)
    series[0] = noise[0]
    for hour in range(1, length):
        fresh = np.sqrt(1 - CORRELATION_OF_WANDERING**2) * noise[hour]
        series[hour] = CORRELATION_OF_WANDERING * series[hour - 1] + fresh
    return series


def _candidates(simulated: Simulated, dated: DatedOnset) -> list[Candidate]:
    start, end = searched(dated)
    return [
        Candidate(service="shop", value=str(at), first_seen_at=at, bayes_factor=dated.bayes_factor(at))
        for at in simulated.released_at
        if start <= at <= end
    ]


def _moment(hours: float) -> datetime:
    return START + timedelta(hours=hours)
