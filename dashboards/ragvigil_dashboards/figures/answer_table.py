"""Answers as a list of links."""

from collections.abc import Iterable

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.links import trace_link
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.markup import Markup, foreign, table, tag
from ragvigil_dashboards.models import AnswerRow

_FIRST = ["Trace", "Started"]
_LONGEST_QUESTION = 140


def answer_table(rows: Iterable[AnswerRow], reader: Reader, stage: str | None) -> Markup:
    """One row an answer; with a stage, what that stage took and cost beside the whole."""
    in_stage = [f"{stage}, ms", f"{stage}, USD"] if stage else []
    numbers = [*in_stage, "Whole, ms", "Cost, USD"]
    head = [*_FIRST, *numbers, "Status", "Intent", "Release", "Question"]
    right = range(len(_FIRST), len(_FIRST) + len(numbers))
    return table(head, (_row(row, reader, stage) for row in rows), right=right)


def _row(row: AnswerRow, reader: Reader, stage: str | None) -> list[str]:
    return [
        trace_link(row.trace_id, row.phoenix_url),
        tag("span", reader.when(row.started_at, seconds=True), class_="rv-nowrap"),
        *(_took_and_cost(row.stage_duration_ms, row.stage_cost_usd) if stage else []),
        *_took_and_cost(row.duration_ms, row.cost_usd),
        status_word(row.status),
        foreign(row.intent or formats.DASH, longest=40),
        foreign(" ".join([row.service, row.service_version or ""]), longest=40),
        _question(row.question),
    ]


def _took_and_cost(duration_ms: float | None, cost_usd: float | None) -> list[str]:
    return [formats.column(duration_ms, 0), formats.column(cost_usd, 5)]


def status_word(status: str) -> Markup:
    """An answer's status; `unset` is how OpenTelemetry says that nothing failed."""
    if status.lower() == "error":
        return tag("span", "▲ Error", class_="rv-pill bad")
    return tag("span", "ok" if status.lower() == "unset" else status.lower(), class_="rv-aside")


def _question(question: str | None) -> Markup:
    if not question:
        return tag("span", "not recorded", class_="rv-aside")
    return tag("div", foreign(" ".join(question[:1000].split()), longest=_LONGEST_QUESTION), class_="rv-ellipsis")
