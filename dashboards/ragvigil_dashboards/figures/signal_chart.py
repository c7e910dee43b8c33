"""One series of a signal over time as a Vega-Lite specification."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from ragvigil_dashboards.figures.signal_records import (
    Frame,
    Record,
    alert_records,
    epoch_ms,
    point_records,
    release_records,
)
from ragvigil_dashboards.models import Series

Spec = dict[str, Any]

LINE = "#3b82f6"
ALARM = "#e5484d"
RELEASE = "#8e8e99"
HEIGHT_PX = 210
_AXIS_PX = 58
_FEW_POINTS = 40
_SHOWN_BY_HOUR = timedelta(days=2)
_UNITS = {"ms": ("milliseconds", ",.0f"), "usd": ("USD", "~g")}
_TIME: Spec = {"field": "t", "type": "temporal"}
_TIME_TOOLTIP: Spec = {**_TIME, "format": "%a %d %b %H:%M"}
_POINT_TOOLTIP: list[Spec] = [
    {**_TIME_TOOLTIP, "title": "window end"},
    *({"field": name, "type": "quantitative", "format": ",.4~g"} for name in ("value", "lower", "upper", "limit", "n")),
    {"field": "state", "type": "nominal"},
]


def signal_chart(series: Series, frame: Frame) -> Spec:
    """Estimate, interval, limit, releases and alerts; where evidence is missing the line has a gap."""
    unit, number_format = _UNITS.get(series.unit, (series.unit, "~g"))
    axis = {"title": unit, "format": number_format, "tickCount": 5, "minExtent": _AXIS_PX}
    points = point_records(series.points)
    groups = (
        (alert_records(series, frame), [_ALERT]),
        (release_records(frame), _RELEASE),
        (points, list(_estimate(points, axis))),
    )
    drawn = [{"data": _data(records), "layer": layers} for records, layers in groups if records]
    return {"height": HEIGHT_PX, "layer": [_time_axis(frame), *drawn]}


def _data(records: list[Record]) -> Spec:
    return {"values": records}


def _time_axis(frame: Frame) -> Spec:
    """Two invisible marks at the ends of the time range, so that all charts show the same."""
    start, end = epoch_ms(frame.start), epoch_ms(frame.end)
    label = "%H:%M" if frame.end - frame.start <= _SHOWN_BY_HOUR else "%a %d %b"
    axis = {"title": None, "labelOverlap": True, "tickCount": 8, "format": label}
    x = {**_TIME, "axis": axis}
    return {
        "data": _data([{"t": start}, {"t": end}]),
        "mark": {"type": "rule", "opacity": 0},
        "encoding": {"x": x},
    }


def _layer(mark: Spec, encoding: Spec) -> Spec:
    return {"mark": mark, "encoding": {"x": _TIME, **encoding}}


def _estimate(points: list[Record], axis: Spec) -> Iterator[Spec]:
    """Band, limit, line, breaches and what the pointer reads; only what has a value, as Vega warns of empty ones."""

    def y(field: str) -> Spec:
        scale = {"zero": False, "padding": 6}
        return {"y": {"field": field, "type": "quantitative", "axis": axis, "scale": scale}}

    def known(field: str) -> bool:
        return any(point.get(field) is not None for point in points)

    if known("lower") and known("upper"):
        yield _layer({"type": "area", "color": LINE, "opacity": 0.18}, {**y("lower"), "y2": {"field": "upper"}})
    if known("limit"):
        yield _layer({"type": "line", "color": ALARM, "strokeDash": [6, 4], "strokeWidth": 1.5}, y("limit"))
    if known("value"):
        dots = {"size": 18, "color": LINE} if len(points) <= _FEW_POINTS else False
        yield _layer({"type": "line", "color": LINE, "strokeWidth": 2, "point": dots}, y("value"))
        yield _layer({"type": "point", "opacity": 0, "size": 90}, {**y("value"), "tooltip": _POINT_TOOLTIP})
    if any(point.get("state") == "breach" for point in points):
        breaches = _layer({"type": "point", "color": ALARM, "filled": True, "size": 28}, y("value"))
        yield {"transform": [{"filter": "datum.state === 'breach'"}], **breaches}


_ALERT = _layer({"type": "rect", "color": ALARM, "opacity": 0.1}, {"x2": {"field": "t2"}})
_RELEASE = [
    _layer(
        {"type": "rule", "color": RELEASE, "strokeDash": [2, 3], "strokeWidth": 1.5},
        {"tooltip": [{"field": "release", "type": "nominal"}, {**_TIME_TOOLTIP, "title": "first seen"}]},
    ),
    _layer(
        {"type": "text", "color": RELEASE, "align": "left", "dx": 4, "dy": 2, "baseline": "top", "fontSize": 11},
        {"text": {"field": "label", "type": "nominal"}, "y": {"value": 0}},
    ),
]
