"""Lists of answers: the newest, slowest or costliest of a time range, as a whole or in one stage."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final, Literal

from ragvigil_monitor.api.windows import TimeRange
from ragvigil_monitor.hour_sums import segments
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.database import Row

Order = Literal["newest", "slowest", "costliest"]

_NO_STAGE: Final = {"stage_duration_ms": None, "stage_cost_usd": None}
_SMALLEST_STEP: Final = timedelta(microseconds=1)


def listed_answers(
    store: Store, within: TimeRange, order: Order, *, stage: str | None, intent: str | None, limit: int
) -> list[Row]:
    """At most `limit` answers in order; with a stage only those that have it."""
    if order == "newest" and stage is None:
        return _newest(store, within, intent, limit)
    asked: dict[str, Any] = {"stage": stage or "", "intent": intent, "ranking": order, "limit": limit}
    found: list[Row] = []
    for each in segments(store, within.start, within.end, by_hour=False):
        question = "answers_ranked" if each.is_summed else "answers_ranked_raw"
        found += store.rows(question, start=each.start, end=each.end, **asked)
    return _described(store, _first(found, order, limit), stage)


def _first(found: list[Row], order: Order, limit: int) -> list[Row]:
    """The first of all parts together, as each part is ordered: by value, unknown ones last, then the newest."""
    found.sort(key=lambda row: row["started_at"], reverse=True)
    if order != "newest":
        value = "duration_ms" if order == "slowest" else "cost_usd"
        found.sort(key=lambda row: (row[value] is None, -(row[value] or 0.0)))
    return found[:limit]


def _described(store: Store, ranked: Sequence[Row], stage: str | None) -> list[Row]:
    """The rows of the answers themselves, beside what they were ranked by."""
    if not ranked:
        return []
    moments = [row["started_at"] for row in ranked]
    rows = store.rows(
        "answers_listed",
        started_at=[moment.replace(tzinfo=None) for moment in moments],
        trace_ids=[row["trace_id"] for row in ranked],
        start=min(moments),
        end=max(moments),
    )
    by_id = {(row["trace_id"], row["span_id"]): row for row in rows}
    keys = [(row["trace_id"], row["answer_span_id"]) for row in ranked]
    known = [(by_id[key], row) for key, row in zip(keys, ranked, strict=True) if key in by_id]
    return [{**answer, "cost_usd": row["answer_cost_usd"], **_in_stage(row, stage)} for answer, row in known]


def _in_stage(row: Row, stage: str | None) -> Row:
    if stage is None:
        return dict(_NO_STAGE)
    return {"stage_duration_ms": row["duration_ms"], "stage_cost_usd": row["cost_usd"]}


def _newest(store: Store, within: TimeRange, intent: str | None, limit: int) -> list[Row]:
    """The newest answers; their costs are looked up only in the short time that they span."""
    page = store.rows("answers_newest", start=within.start, end=within.end, intent=intent, limit=limit)
    if not page:
        return []
    known = _costs(store, page)
    return [{**row, **_NO_STAGE, "cost_usd": known.get((row["trace_id"], row["span_id"]))} for row in page]


def _costs(store: Store, page: Sequence[Row]) -> dict[tuple[bytes, bytes], float | None]:
    """What answers cost, the newest first, by the ids of their trace and span."""
    trace_ids = [row["trace_id"] for row in page]
    known = {}
    for each in segments(store, page[-1]["started_at"], page[0]["started_at"] + _SMALLEST_STEP, by_hour=False):
        question = "costs_of_traces_summed" if each.is_summed else "costs_of_traces"
        for cost in store.rows(question, trace_ids=trace_ids, start=each.start, end=each.end):
            known[cost["trace_id"], cost["span_id"]] = cost["cost_usd"]
    return known
