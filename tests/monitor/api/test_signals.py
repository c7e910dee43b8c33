"""Signals over time and the releases beside them."""

from datetime import timedelta
from typing import Any

import pyarrow as pa
import pytest
from tests.samples.world import World


def test_signals_name_their_series_and_windows(sampled: World) -> None:
    cost, latency = sampled.get("/signals")
    assert cost == {"signal": "cost_per_query", "unit": "usd", "series": ["mean", "p50", "p99"], "windows_s": [86400]}
    assert latency["series"] == ["answer", "embed", "generate", "rerank", "retrieve"]
    assert latency["windows_s"] == [3600, 86400]


def test_points_are_those_of_one_series_and_window(sampled: World) -> None:
    (series,) = sampled.get("/signals/latency_p95/points", series="rerank", window_s=3600)
    assert (series["signal"], series["series"], series["window_s"], series["unit"]) == (
        "latency_p95",
        "rerank",
        3600,
        "ms",
    )
    times = [point["window_end"] for point in series["points"]]
    assert times == sorted(times)
    assert len(times) == 7 * 24 + 1


def test_without_a_choice_every_series_and_window_comes(sampled: World) -> None:
    found = sampled.get("/signals/latency_p95/points")
    assert [(each["series"], each["window_s"]) for each in found][:3] == [
        ("answer", 3600),
        ("answer", 86400),
        ("embed", 3600),
    ]
    assert len(found) == 10


def test_missing_evidence_stays_missing(sampled: World) -> None:
    start, end = sampled.now - timedelta(days=11), sampled.now - timedelta(days=9)
    (series,) = sampled.get(
        "/signals/latency_p95/points", series="answer", window_s=3600, start=start.isoformat(), end=end.isoformat()
    )
    silent = [point for point in series["points"] if point["state"] == "no_data"]
    assert len(silent) == 11
    assert all(point["value"] is None and point["lower"] is None and point["n"] == 0 for point in silent)


def test_a_thinned_series_keeps_every_breach_and_gap_in_sight(empty: World) -> None:
    looks = [_look(empty, minutes, 10.0, "ok") for minutes in range(100)]
    looks[31] = _look(empty, 31, 99.0, "breach")
    looks[64] = _look(empty, 64, None, "no_data")
    _insert(empty, looks)
    start = (empty.now - timedelta(minutes=100)).isoformat()
    (series,) = empty.get("/signals/s/points", start=start, end=empty.now.isoformat(), max_points=10)
    assert len(series["points"]) <= 11
    assert [point["state"] for point in series["points"] if point["state"] != "ok"] == ["no_data", "breach"]


def test_a_time_range_without_looks_is_empty(sampled: World) -> None:
    assert sampled.get("/signals/latency_p95/points", start="2025-01-01T00:00:00Z", end="2025-01-02T00:00:00Z") == []


def test_releases_are_the_newest_first(sampled: World) -> None:
    assert [release["service_version"] for release in sampled.get("/releases")] == ["1.5.0", "1.4.2"]
    assert len(sampled.get("/releases", limit=1)) == 1


def test_nothing_is_known_of_an_empty_store(empty: World) -> None:
    assert empty.get("/signals") == []
    assert empty.get("/releases") == []
    assert empty.refusal("/signals/latency_p95/points") == (
        404,
        "There is no signal 'latency_p95'; there are: none yet.",
    )


def test_an_unknown_signal_is_not_found(sampled: World) -> None:
    status, detail = sampled.refusal("/signals/mood/points")
    assert (status, detail) == (404, "There is no signal 'mood'; there are: cost_per_query, latency_p95.")


def test_an_unknown_series_is_not_found(sampled: World) -> None:
    status, detail = sampled.refusal("/signals/cost_per_query/points", series="p42")
    assert (status, detail) == (404, "cost_per_query has no series 'p42'; it has: mean, p50, p99.")


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"start": "2026-11-30T00:00:00Z", "end": "2026-11-29T00:00:00Z"}, "start must lie before end"),
        ({"start": "2026-11-30T00:00:00Z", "end": "2026-11-30T00:00:00Z"}, "start must lie before end"),
        ({"start": "2030-01-01T00:00:00Z"}, "start must lie before end"),
        ({"start": "2026-01-01T00:00:00Z", "end": "2026-11-29T00:00:00Z"}, "at most 92 days"),
        ({"start": "2026-11-29T00:00:00"}, "query.start"),
        ({"start": "0001-01-01T00:00:00+14:00"}, "query.start"),
        ({"end": "9999-12-31T23:59:59-14:00"}, "query.end"),
        ({"end": "yesterday"}, "query.end"),
        ({"window_s": 0}, "query.window_s"),
        ({"window_s": 10**12}, "query.window_s"),
        ({"max_points": 0}, "query.max_points"),
        ({"max_points": 10**9}, "query.max_points"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused(sampled: World, parameters: dict[str, Any], said: str) -> None:
    status, detail = sampled.refusal("/signals/latency_p95/points", **parameters)
    assert status == 422
    assert said in detail


def test_of_a_series_with_a_lower_limit_the_lowest_look_of_a_bucket_is_kept(empty: World) -> None:
    looks = [_look(empty, minutes, value, "inconclusive") for minutes, value in ((30, 61.0), (20, 55.0), (10, 58.0))]
    _insert(empty, [{**look, "limit_value": None, "lower_limit_value": 60.0} for look in looks])
    (series,) = empty.get("/signals/s/points", max_points=1)
    assert [(point["value"], point["limit"]) for point in series["points"]] == [(55.0, 60.0)]


def _look(world: World, minutes: int, value: float | None, state: str) -> dict[str, Any]:
    return {
        "signal": "s",
        "series": "x",
        "window_end": world.ago(minutes=minutes),
        "window_s": 3600,
        "value": value,
        "lower": value,
        "upper": value,
        "alarm_lower": value,
        "limit_value": 50.0,
        "unit": "ms",
        "n": 0 if value is None else 5,
        "missing": 0,
        "state": state,
    }


def _insert(world: World, looks: list[dict[str, Any]]) -> None:
    with world.store.transaction() as writer:
        writer.execute_with("insert_estimates", pa.Table.from_pylist(looks))
