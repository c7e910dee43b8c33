"""What became of an import, in words."""

from collections import Counter
from collections.abc import Iterable

from ragvigil_monitor.store.putting_in import PutIn
from ragvigil_monitor.transfer.importing import METRICS_IGNORED, Outcomes
from ragvigil_monitor.transfer.reading_files import FileReport


def file_line(report: FileReport) -> str:
    """One file in one line."""
    if report.failure and not (report.requests or report.outcomes or report.rows != PutIn()):
        return report.failure  # it names the file
    found = _rows(report.table, report.rows) if report.table is not None else _requests(report)
    failed = f"; {report.failure}" if report.failure else ""
    return f"{report.path}: {found}{failed}"


def total_line(reports: Iterable[FileReport]) -> str:
    """All files together."""
    listed = list(reports)
    outcomes: Outcomes = sum((report.outcomes for report in listed), Counter())
    rows = sum((report.rows for report in listed), PutIn())
    requests = sum(report.requests for report in listed)
    parts = []
    if requests or outcomes:
        parts.append(f"{requests:,} requests: {_items(outcomes)}")
    if any(report.table for report in listed):
        parts.append(_rows("rows", rows))
    failed = sum(report.failure is not None for report in listed)
    if failed:
        parts.append(f"{failed} of {len(listed)} files not or not wholly imported")
    return f"Read {'; '.join(parts) or 'nothing'}."


def _requests(report: FileReport) -> str:
    return f"{report.requests:,} requests: {_items(report.outcomes)}"


def _items(outcomes: Outcomes) -> str:
    said = [
        f"{outcomes[f'{key}_committed']:,} {word} new, {outcomes[f'{key}_duplicate']:,} known"
        for key, word in (("spans", "spans"), ("logs", "log records"))
        if outcomes[f"{key}_committed"] or outcomes[f"{key}_duplicate"]
    ]
    said += _others(outcomes, "rejected_", "rejected") + _others(outcomes, "flawed_", "kept without a value")
    if outcomes[METRICS_IGNORED]:
        said.append(f"{outcomes[METRICS_IGNORED]:,} requests of metrics left out")
    return ", ".join(said) or "nothing in them"


def _others(outcomes: Outcomes, prefix: str, word: str) -> list[str]:
    found = {outcome.removeprefix(prefix): items for outcome, items in outcomes.items() if outcome.startswith(prefix)}
    if not found:
        return []
    reasons = ", ".join(f"{reason} {items:,}" for reason, items in sorted(found.items()))
    return [f"{sum(found.values()):,} {word} ({reasons})"]


def _rows(table: str | None, rows: PutIn) -> str:
    said = f"{table}: {rows.new:,} new, {rows.known:,} known"
    if rows.updated:
        said += f", {rows.updated:,} brought up to date"
    if rows.differing:
        said += f", {rows.differing:,} otherwise there already and left as they are"
    return said
