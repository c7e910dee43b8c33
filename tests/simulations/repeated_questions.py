"""False alarms of the regeneration band where users ask again and again, by answers and by questions.

`python -m tests.simulations.repeated_questions` prints what docs/guardrails.md quotes, in about five minutes. Six weeks
of the demo's visits, 60 answers an hour in sessions; a share of the questions is asked again with a probability of 75 %
each time, the others with 8.5 or 20 %. The first eight days warm up.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from ragvigil_monitor.demo.intents import INTENTS
from ragvigil_monitor.demo.users import visits
from ragvigil_monitor.statistics.hour_of_week import hour_cells
from ragvigil_monitor.statistics.hourly_counts import HourlyCounts
from ragvigil_monitor.statistics.rate_band import HISTORY_H, RECENT_H, rate_band

END = datetime(2026, 11, 30, tzinfo=UTC)
DAYS, QUESTIONS, FROM_H, REARM_H = 42, 53_000, 8 * 24, 6
SCALES, WATCHED, ALPHA, RUNS = (1, 6, 24), 5, 1 / 8078, 20
STUBBORN = 0.75
Column = NDArray[np.float64]
Counts = Mapping[str, tuple[Column, Column]]


def counted(seed: int, *, stubborn_share: float, by_question: bool) -> Counts:
    """Events and totals of each hour, of all answers and of five intents."""
    rng = np.random.default_rng(seed)
    start = END - timedelta(days=DAYS)
    at_h = np.array([(visit.at - start) / timedelta(hours=1) for visit in visits(start, END, QUESTIONS, seed=seed)])
    shares = np.array([intent.share for intent in INTENTS])
    intent = rng.choice(len(INTENTS), len(at_h), p=shares / shares.sum())
    again = np.where(rng.random(len(at_h)) < 0.3, 0.2, 0.085)
    again = np.where(rng.random(len(at_h)) < stubborn_share, STUBBORN, again)
    series: dict[str, tuple[Column, Column]] = {}
    for hour, of, asked_again in _rounds(at_h, intent, again, rng, only_first=by_question):
        for number, name in enumerate(["all", *(each.name for each in INTENTS[:WATCHED])]):
            chosen = (hour < DAYS * 24) & ((of == number - 1) if number else True)
            events, totals = series.setdefault(name, (np.zeros(DAYS * 24), np.zeros(DAYS * 24)))
            np.add.at(totals, hour[chosen], 1)
            np.add.at(events, hour[chosen], asked_again[chosen])
    return series


def alarms(counts: Counts, alpha: float) -> int:
    """How many alarms are raised, each until six hours in control."""
    return sum(_episodes(HourlyCounts(*each, hour_cells(_FIRST_H, DAYS * 24)), alpha) for each in counts.values())


_FIRST_H = (END - timedelta(days=DAYS) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(hours=1)


def _rounds(
    at_h: Column, intent: NDArray[np.int64], again: Column, rng: np.random.Generator, *, only_first: bool
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]]:
    """The hour and intent of each answer of a round, and whether it is asked for again; then the next round."""
    while len(at_h):
        asked_again = rng.random(len(at_h)) < again
        yield at_h.astype(np.int64), intent, asked_again
        if only_first:
            return
        after_h = rng.lognormal(3.6, 0.6, len(at_h)) / 3600
        at_h, intent, again = (at_h + after_h)[asked_again], intent[asked_again], again[asked_again]


def _episodes(counts: HourlyCounts, alpha: float) -> int:
    found, last = 0, -DAYS * 24
    for end in range(FROM_H, len(counts)):
        if any(_is_beyond(counts, end, scale, alpha) for scale in SCALES):
            found += end - last > REARM_H
            last = end
    return found


def _is_beyond(counts: HourlyCounts, end: int, scale: int, alpha: float) -> bool:
    """Nothing is beyond that is not a quarter and three events away, which is quick to see."""
    events, totals = counts.events[end - scale : end].sum(), counts.totals[end - scale : end].sum()
    expected = totals * counts.events.sum() / counts.totals.sum()
    if abs(events - expected) < 2 * np.sqrt(expected + 1):
        return False
    chosen = slice(max(0, end - HISTORY_H - RECENT_H), end)
    part = HourlyCounts(counts.events[chosen], counts.totals[chosen], counts.cells[chosen])
    return rate_band(part, scale=scale, alpha=alpha).state in ("above", "below")


def main() -> None:
    """Print the false alarms a week of each way to count."""
    weeks = RUNS * (DAYS * 24 - FROM_H) / 168
    for stubborn_share in (0.0, 0.01):
        for by_question in (False, True):
            runs = (counted(seed, stubborn_share=stubborn_share, by_question=by_question) for seed in range(RUNS))
            found = sum(alarms(counts, ALPHA) for counts in runs)
            way = "questions" if by_question else "answers"
            print(f"{stubborn_share:.0%} stubborn, counted by {way}: {found / weeks:.2f} a week", flush=True)


if __name__ == "__main__":
    main()
