"""What a signal's chart is drawn from: looks, gaps, releases and alerts as records of plain values."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any

from ragvigil_dashboards.models import Alert, Release, Series, SeriesPoint

Record = dict[str, Any]

_GAP_FACTOR = 2.5
_LONGEST_NAME = 60
_CHARACTER_PX = 6.5
_LABEL_GAP_PX = 12
_USUAL_WIDTH_PX = 1100


@dataclass(frozen=True, slots=True)
class Frame:
    """What surrounds a line: the time range shown, the releases and the alerts inside it."""

    start: datetime
    end: datetime
    releases: Sequence[Release] = ()
    alerts: Sequence[Alert] = ()


def point_records(points: Sequence[SeriesPoint]) -> list[Record]:
    """One record a look, and an empty one inside each stretch without looks, which breaks the line."""
    longest = _longest_step(points)
    records = [_record(point) for point in points[:1]]
    for before, point in pairwise(points):
        if point.window_end - before.window_end > longest:
            records.append({"t": epoch_ms(before.window_end) + 1, "value": None, "lower": None, "upper": None})
        records.append(_record(point))
    return records


def release_records(frame: Frame) -> list[Record]:
    """The releases first seen inside the frame, oldest first; a label that would cover another is left empty."""
    seen = [release for release in frame.releases if frame.start <= release.first_seen_at <= frame.end]
    one_service = len({release.service for release in seen}) == 1
    records: list[Record] = []
    free_from = frame.start
    for release in sorted(seen, key=lambda release: release.first_seen_at):
        label = release.service_version[:_LONGEST_NAME] if one_service else _name(release)
        fits = release.first_seen_at >= free_from
        records.append(
            {"t": epoch_ms(release.first_seen_at), "release": _name(release), "label": label if fits else ""}
        )
        if fits:
            free_from = release.first_seen_at + (frame.end - frame.start) * _label_share(label)
    return records


def alert_records(series: Series, frame: Frame) -> list[Record]:
    """From onset to the end of each alert on this series, cut to the frame."""
    return [
        {"t": epoch_ms(max(begun, frame.start)), "t2": epoch_ms(min(ended, frame.end))}
        for alert in frame.alerts
        if (alert.guardrail, alert.series) == (series.signal, series.series)
        and (begun := alert.onset_at or alert.opened_at) <= frame.end
        and (ended := alert.resolved_at or frame.end) >= frame.start
    ]


def epoch_ms(moment: datetime) -> int:
    """A moment as Vega reads it: milliseconds since the epoch, drawn in the browser's zone."""
    return round(moment.timestamp() * 1000)


def _record(point: SeriesPoint) -> Record:
    return {
        "t": epoch_ms(point.window_end),
        "value": point.value,
        "lower": point.lower,
        "upper": point.upper,
        "limit": point.limit,
        "n": point.n,
        "state": point.state.replace("_", " "),
    }


def _label_share(label: str) -> float:
    """How much of the time axis a label covers, at most, on a page of usual width."""
    return (len(label) * _CHARACTER_PX + _LABEL_GAP_PX) / _USUAL_WIDTH_PX


def _name(release: Release) -> str:
    return f"{release.service} {release.service_version}"[:_LONGEST_NAME]


def _longest_step(points: Sequence[SeriesPoint]) -> timedelta:
    """Longer steps than this are gaps: two and a half usual ones."""
    steps = [(after.window_end - before.window_end).total_seconds() for before, after in pairwise(points)]
    return timedelta(seconds=_GAP_FACTOR * median(steps)) if steps else timedelta.max
