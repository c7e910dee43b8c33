"""The line above a chart: which series, its newest value, and what the colours mean."""

from collections.abc import Iterable

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.names import series_title
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.states import GUARDRAIL, look, pill
from ragvigil_dashboards.markup import Markup, foreign, tag
from ragvigil_dashboards.models import Series


def worst_first(lines: Iterable[Series]) -> list[Series]:
    """Series in the order in which to look at them: by their newest state, guarded before unguarded."""
    return sorted(lines, key=lambda line: (look(line.points[-1].state, GUARDRAIL).rank, line.series != "answer"))


def summary(series: Series, reader: Reader) -> Markup:
    """The series' name with its newest look in words."""
    newest = series.points[-1]
    interval = None
    if newest.lower is not None and newest.upper is not None:
        low, high = formats.quantity(newest.lower, series.unit), formats.quantity(newest.upper, series.unit)
        interval = f" ({low} to {high})"
    return tag(
        "div",
        tag("h3", foreign(series_title(series.series), longest=80)),
        pill(look(newest.state, GUARDRAIL)),
        tag("span", tag("b", formats.quantity(newest.value, series.unit)), interval),
        tag(
            "span",
            _limit(newest.limit, series.unit),
            f" · {formats.count(newest.n)} observations · ",
            reader.when(newest.window_end),
            class_="rv-aside",
        ),
        class_="rv-series",
    )


def legend() -> Markup:
    """What line, band, rules and shade mean."""
    marks = [
        ("line", "estimate"),
        ("band", "95 % interval"),
        ("limit", "limit"),
        ("release", "release first seen"),
        ("alert", "alert, from its onset"),
        ("gap", "a gap: no data"),
    ]
    return tag("div", *(tag("span", tag("i", class_=mark), words) for mark, words in marks), class_="rv-legend")


def _limit(limit: float | None, unit: str) -> str:
    return "no limit set" if limit is None else f"limit {formats.quantity(limit, unit)}"
