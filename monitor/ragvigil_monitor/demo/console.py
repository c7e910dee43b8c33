"""What the demo shows in a terminal: how far it is, and what was planted and found."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from ragvigil_monitor.demo.plan import Plan
from ragvigil_monitor.demo.report import Finding, Report
from ragvigil_monitor.demo.simulation import Tell


@contextmanager
def progress(plan: Plan, console: Console) -> Iterator[Tell]:
    """A bar over the simulated answers, with the time that is left; yields the function to tell."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("answers, left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as bar:
        task = bar.add_task(_day(0, plan), total=plan.answers)

        def tell(answers: int, day: int) -> None:
            is_last = day >= plan.days
            total = answers if is_last else plan.answers
            bar.update(task, completed=answers, total=total, description=_day(day, plan))

        yield tell


def beginning(plan: Plan) -> str:
    """What is about to be simulated."""
    repeat = f"--seed {plan.seed} --end {plan.end.isoformat()}"
    return f"Simulating {plan.days:g} days until {_moment(plan.end)} UTC, seed {plan.seed}. Repeat with {repeat}."


def findings_table(report: Report) -> Table:
    """What was planted, and when its guardrail found it."""
    table = Table(box=None, padding=(0, 1, 0, 0))
    for column in ("planted", "at (UTC)", "lasted", "guardrail", "found at", "after"):
        table.add_column(column, no_wrap=True)
    for finding in report.findings:
        table.add_row(*_finding(finding))
    return table


def explanations(report: Report) -> list[str]:
    """What each planted incident is, whether a release brought it, and what its alert suspects."""
    return [_explanation(finding) for finding in report.findings]


def summary(report: Report) -> str:
    """The rest of the report in a sentence."""
    volume = report.volume
    return (
        f"{volume.answers:,} answers in {volume.days:g} simulated days, {report.wall_s:.0f} s; spans sent "
        f"{volume.spans_sent:,}, stored {volume.spans_stored:,}; {len(report.false_alarms)} false alarms, "
        f"{len(report.secondary)} further alerts that an incident explains."
    )


def _day(day: int, plan: Plan) -> str:
    return f"simulated day {day} of {plan.days:g}"


def _explanation(finding: Finding) -> str:
    planted = finding.planted
    release = ", with a release" if planted.released else ""
    suspicion = f" The alert says {finding.triage}." if finding.triage else ""
    return f"{planted.incident.kind}{release}: {planted.incident.sentence}.{suspicion}"


def _finding(finding: Finding) -> tuple[str, ...]:
    planted, alert = finding.planted, finding.alert
    return (
        planted.incident.kind,
        _moment(planted.planted_at),
        "goes on" if planted.goes_on else f"{(planted.ended_at - planted.planted_at) / timedelta(days=1):.1f} d",
        planted.incident.guardrail,
        "missed" if alert is None else _moment(alert.opened_at),
        "" if finding.delay_h is None else f"{finding.delay_h:.1f} h",
    )


def _moment(at: datetime) -> str:
    return f"{at:%d %b %H:%M}"
