"""The chart of a signal and the line above it."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_dashboards.client import Client
from ragvigil_dashboards.figures.names import first_known, series_title, signal_title
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.signal_chart import signal_chart
from ragvigil_dashboards.figures.signal_records import (
    Frame,
    alert_records,
    epoch_ms,
    point_records,
    release_records,
)
from ragvigil_dashboards.figures.signal_summary import legend, summary, worst_first
from ragvigil_dashboards.models import Alert, Release, Series, SeriesPoint

START = datetime(2026, 11, 29, tzinfo=UTC)
END = START + timedelta(days=1)
HOUR = timedelta(hours=1)


def point(hours: float, value: float | None = 100.0, **values: Any) -> SeriesPoint:
    known = {"lower": None if value is None else value - 5, "upper": None if value is None else value + 5}
    more: dict[str, Any] = {"limit": 120.0, "n": 0 if value is None else 9, "state": "ok", **known, **values}
    return SeriesPoint(window_end=START + hours * HOUR, value=value, **more)


def series(*points: SeriesPoint, name: str = "rerank", unit: str = "ms") -> Series:
    return Series(signal="latency_p95", series=name, unit=unit, points=list(points))


def layers_of(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Every drawing layer of a chart, flat, with its data."""
    groups = spec["layer"][1:]
    return [{**layer, "values": group["data"]["values"]} for group in groups for layer in group["layer"]]


def kinds(spec: dict[str, Any]) -> list[str]:
    return [layer["mark"]["type"] for layer in layers_of(spec)]


def test_missing_evidence_is_an_empty_record_not_a_zero() -> None:
    records = point_records([point(0), point(1, None, state="no_data"), point(2)])
    assert [record["value"] for record in records] == [100.0, None, 100.0]
    assert records[1]["state"] == "no data"


def test_looks_that_were_never_taken_break_the_line() -> None:
    records = point_records([point(0), point(1), point(2), point(9), point(10)])
    assert [record["value"] for record in records] == [100.0, 100.0, 100.0, None, 100.0, 100.0]
    assert records[3]["t"] == epoch_ms(START + 2 * HOUR) + 1


@pytest.mark.parametrize("count", [0, 1, 2])
def test_few_looks_have_no_gaps(count: int) -> None:
    assert len(point_records([point(hours) for hours in range(count)])) == count


def test_only_releases_inside_the_frame_are_drawn() -> None:
    releases = [
        Release(service="shop", service_version=version, first_seen_at=START + hours * HOUR)
        for version, hours in (("1.0", -1), ("1.1", 3), ("1.2", 25))
    ]
    assert release_records(Frame(START, END, releases)) == [
        {"t": epoch_ms(START + 3 * HOUR), "release": "shop 1.1", "label": "1.1"}
    ]


def test_releases_of_several_services_are_labelled_with_their_service() -> None:
    releases = [Release(service=name, service_version="1", first_seen_at=START + 9 * HOUR) for name in ("shop", "blog")]
    assert release_records(Frame(START, END, releases))[0]["label"] == "shop 1"


@given(st.lists(st.integers(0, 24 * 60), min_size=1, max_size=30, unique=True))
def test_labels_of_releases_never_cover_each_other(minutes: list[int]) -> None:
    releases = [
        Release(service="shop", service_version="10.20.30", first_seen_at=START + minute * timedelta(minutes=1))
        for minute in minutes
    ]
    records = release_records(Frame(START, END, releases))
    labelled = [record["t"] for record in records if record["label"]]
    assert len(records) == len(minutes)
    assert labelled[0] == records[0]["t"]
    assert all(after - before >= 0.05 * (END - START).total_seconds() * 1000 for before, after in pairwise(labelled))


def test_alerts_are_shaded_from_their_onset_and_cut_to_the_frame(client: Client) -> None:
    drawn = alert_records(series(), Frame(START, END, alerts=_alerts(client)))
    assert drawn == [
        {"t": epoch_ms(START), "t2": epoch_ms(START + 2 * HOUR)},
        {"t": epoch_ms(START + 20 * HOUR), "t2": epoch_ms(END)},
    ]


def _alerts(client: Client) -> list[Alert]:
    one = client.status().alerts[0]

    def alert(onset: float | None, opened: float, resolved: float | None, name: str = "rerank") -> Alert:
        moments = [None if hours is None else START + hours * HOUR for hours in (onset, opened, resolved)]
        times = dict(zip(("onset_at", "opened_at", "resolved_at"), moments, strict=True))
        return one.model_copy(update={"guardrail": "latency_p95", "series": name, **times})

    return [
        alert(-5, -4, 2),
        alert(None, 20, None),
        alert(3, 4, 5, name="answer"),
        alert(-9, -8, -7),
        alert(30, 31, None),
    ]


def test_a_chart_holds_band_limit_line_and_breaches() -> None:
    spec = signal_chart(series(point(0), point(1, 300.0, state="breach")), Frame(START, END))
    assert kinds(spec) == ["area", "line", "line", "point", "point"]
    values = layers_of(spec)[0]["values"]
    assert [(row["lower"], row["value"], row["upper"], row["limit"]) for row in values] == [
        (95.0, 100.0, 105.0, 120.0),
        (295.0, 300.0, 305.0, 120.0),
    ]


def test_what_has_no_value_is_not_drawn() -> None:
    unguarded = signal_chart(series(point(0, limit=None, lower=None, upper=None)), Frame(START, END))
    assert kinds(unguarded) == ["line", "point"]
    assert kinds(signal_chart(series(point(0, None, limit=None)), Frame(START, END))) == []


def test_all_charts_show_the_same_time() -> None:
    spec = signal_chart(series(point(3)), Frame(START, END))
    assert spec["layer"][0]["data"]["values"] == [{"t": epoch_ms(START)}, {"t": epoch_ms(END)}]


@pytest.mark.parametrize(("days", "label"), [(1, "%H:%M"), (7, "%a %d %b")])
def test_the_time_axis_fits_its_length(days: int, label: str) -> None:
    spec = signal_chart(series(point(3)), Frame(START, START + timedelta(days=days)))
    assert spec["layer"][0]["encoding"]["x"]["axis"]["format"] == label


@pytest.mark.parametrize(("unit", "title"), [("ms", "milliseconds"), ("usd", "USD"), ("ratio", "ratio")])
def test_the_value_axis_has_its_unit(unit: str, title: str) -> None:
    spec = signal_chart(series(point(0), unit=unit), Frame(START, END))
    assert layers_of(spec)[0]["encoding"]["y"]["axis"]["title"] == title


def test_the_summary_says_the_newest_look(reader: Reader) -> None:
    shown = summary(series(point(0, 50.0), point(1, 130.0, state="breach")), reader)
    for said in ("rerank", "▲", "Breach", "<b>130 ms</b> (125 ms to 135 ms)", "limit 120 ms · 9 observations"):
        assert said in shown


def test_the_summary_of_an_empty_look_shows_a_dash(reader: Reader) -> None:
    shown = summary(series(point(0, None, state="no_data", limit=None)), reader)
    assert "<b>–</b>" in shown
    assert "no limit set · 0 observations" in shown


def test_series_in_breach_come_first_and_the_whole_before_its_stages() -> None:
    lines = [
        series(point(0), name="embed"),
        series(point(0), name="answer"),
        series(point(0, state="unguarded"), name="chat"),
        series(point(0, state="breach"), name="rerank"),
    ]
    assert [line.series for line in worst_first(lines)] == ["rerank", "answer", "embed", "chat"]


def test_the_legend_names_every_mark() -> None:
    for word in ("estimate", "95 % interval", "limit", "release first seen", "alert, from its onset", "no data"):
        assert word in legend()


def test_signals_have_names_for_people_and_new_ones_keep_theirs() -> None:
    assert (signal_title("latency_p95"), signal_title("index_freshness")) == ("p95 latency", "index freshness")
    assert (series_title("p99"), series_title("my_stage")) == ("99th percentile", "my_stage")
    assert first_known(["z", "cost_per_query", "a", "latency_p95"]) == ["latency_p95", "cost_per_query", "a", "z"]
