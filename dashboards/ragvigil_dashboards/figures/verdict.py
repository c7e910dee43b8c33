"""The first line of the overview: what is wrong, and whether what is shown can be trusted."""

from collections.abc import Sequence
from datetime import timedelta

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.markup import Markup, tag
from ragvigil_dashboards.models import Completeness, MonitorProblem, Status

STALE_AFTER = timedelta(minutes=15)


def headline(status: Status) -> Markup:
    """What is wrong, in at most eight words, with its tone."""
    symbol, words, tone = _judgement(status)
    return tag("div", tag("span", symbol, aria_hidden="true"), f" {words}", class_=f"rv-headline {tone}", role="status")


def vital_signs(status: Status, processes: Sequence[Completeness], reader: Reader) -> Markup:
    """Freshness, traffic, completeness and false-alarm budget as four small figures."""
    return tag(
        "div",
        _freshness(status, reader),
        _sign(formats.count(status.answers_last_24h), "answers in 24 h"),
        _completeness(processes),
        _budget(status),
        class_="rv-signs",
    )


def trouble_words(trouble: MonitorProblem, reader: Reader) -> str:
    """What of the monitor itself does not work, since when."""
    since = formats.clock(trouble.since, reader.now, reader.zone)
    return f"The monitor itself has a problem since {since}: {trouble.part}: {trouble.detail}"


def total_share(processes: Sequence[Completeness]) -> float | None:
    """Stored of started spans over all processes that report counts; None when none does."""
    reporting = [process for process in processes if process.started]
    started = sum(process.started or 0 for process in reporting)
    return min(1.0, sum(process.stored for process in reporting) / started) if started else None


def _judgement(status: Status) -> tuple[str, str, str]:
    firing = sum(alert.state == "firing" for alert in status.alerts)
    handled = len(status.alerts) - firing
    if firing:
        return "▲", _counted(firing, "alert", f"firing, {handled} handled" if handled else "firing"), "bad"
    if handled:
        rest = "open, somebody is on it" if handled == 1 else "open, all handled"
        return "◆", _counted(handled, "alert", rest), "warn"
    return _judgement_without_alerts(status)


def _judgement_without_alerts(status: Status) -> tuple[str, str, str]:
    blind = sum(guardrail.state == "no_data" for guardrail in status.guardrails)
    if status.problems:
        return "!", "No alert, but the monitor has a problem", "warn"
    if blind:
        return "○", f"No alert, but {_counted(blind, 'guardrail', 'without data')}", "warn"
    if not status.guardrails:
        return "…", "Nothing judged yet", "calm"
    return "✓", "Nothing is firing", "good"


def _counted(number: int, noun: str, rest: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'} {rest}"


def _freshness(status: Status, reader: Reader) -> Markup:
    if status.last_answer_at is None:
        return _sign("never", "last answer", "warn")
    age = reader.now - status.last_answer_at
    return _sign(reader.ago(status.last_answer_at), "last answer", "warn" if age > STALE_AFTER else None)


def _completeness(processes: Sequence[Completeness]) -> Markup:
    share = total_share(processes)
    if share is None:
        return _sign("not reported", "telemetry stored", "warn", href="completeness")
    return _sign(formats.percent(share), "telemetry stored", "warn" if share < 0.99 else None, href="completeness")


def _budget(status: Status) -> Markup:
    budget = status.budget
    return _sign(
        f"≤ {budget.per_week:g} a week",
        f"false alarms allowed, {formats.count(budget.looks_per_week)} looks",
    )


def _sign(value: str, label: str, tone: str | None = None, *, href: str | None = None) -> Markup:
    shown = tag("a", value, href=href) if href else value
    return tag("div", tag("b", shown, class_=tone), tag("span", label), class_="rv-sign")
