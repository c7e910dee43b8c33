"""Of the observations behind a finding: how many lie beyond its limit, hour by hour, and which traces furthest."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, Final

import numpy as np

from ragvigil_monitor.guardrails.finding import Beyond, HoursBeyond
from ragvigil_monitor.hour_sums import Segment, segments
from ragvigil_monitor.signals.cost_per_query import COST_PER_QUERY
from ragvigil_monitor.store import Store

_HOUR: Final = timedelta(hours=1)


def hours_beyond(store: Store, signal: str, series: str, beyond: Beyond, start: datetime, end: datetime) -> HoursBeyond:
    """For each hour from `start` to `end`: observations, and those beyond the limit.

    Of a rate it has been counted, of costs it is read from sums as far as there are any.
    """
    asked = {"below": beyond.below, "origin": start}
    over, totals = (np.zeros(int((end - start) / _HOUR) + 1) for _ in range(2))
    for question, values in _questions(store, signal, series, beyond, start, end):
        counted = store.columns(question, **asked, **values)
        np.add.at(over, counted["hour"], counted["over_limit"])
        np.add.at(totals, counted["hour"], counted["n"])
    return HoursBeyond(over, totals)


def worst_traces(store: Store, observed: dict[str, Any], beyond: Beyond, *, most: int) -> list[str]:
    """The traces of observations furthest beyond the limit; of a rate, where all are alike, those of the newest."""
    if beyond.history_start is None:
        return [row["trace_id"] for row in store.rows("worst_over_limit", most=most, **observed)]
    found: list[str] = []
    for hour in _hours_back(observed["window_start"], observed["window_end"]):
        if len(found) < most:
            rows = store.rows("worst_over_limit", most=most - len(found), **{**observed, **hour})
            found += [row["trace_id"] for row in rows]
    return list(dict.fromkeys(found))


def _questions(
    store: Store, signal: str, series: str, beyond: Beyond, start: datetime, end: datetime
) -> Iterator[tuple[str, dict[str, object]]]:
    if beyond.history_start is not None:
        yield "rate_by_hour", {"signal": signal, "series": series, "window_start": start, "window_end": end}
        return
    summed = signal == COST_PER_QUERY.name
    for part in segments(store, start, end) if summed else [Segment(start, end, is_summed=False)]:
        window = {"window_start": part.start, "window_end": part.end, "limit": beyond.limit}
        if part.is_summed:
            yield "costs_over_limit_by_hour", window
        else:
            yield "over_limit_by_hour", {"signal": signal, "series": series, **window}


def _hours_back(start: datetime, end: datetime) -> Iterator[dict[str, datetime]]:
    while end > start:
        yield {"window_start": max(start, end - _HOUR), "window_end": end}
        end -= _HOUR
