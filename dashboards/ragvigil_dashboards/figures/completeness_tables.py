"""How complete the telemetry is, by process, and what became of everything received."""

from collections.abc import Iterable, Sequence

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.states import Look, pill
from ragvigil_dashboards.markup import Markup, foreign, table, tag
from ragvigil_dashboards.models import Completeness, IngestCount

_COMPLETE = Look("✓", "Complete", "good", 2)
_ON_THE_WAY = Look("…", "On the way", "calm", 1)
_LOSSES = Look("▲", "Losses", "bad", 0)
_NOT_REPORTED = Look("○", "Not reported", "warn", 1)

_SHOWN_CHARACTERS = 12
_MEANINGS = {
    "spans_committed": "Spans that are in the store.",
    "logs_committed": "Log records that are in the store.",
    "spans_duplicate": "Spans that arrived again after a retry; kept once.",
    "logs_duplicate": "Log records that arrived again after a retry; kept once.",
}
_REASONS = {
    "bad_id": "the trace or span id was missing or not valid",
    "bad_process_counts": "the counters of a process were not numbers",
    "not_storable": "the database refused the values",
    "spool_damaged": "a file of the spool directory was cut off or damaged; it is kept there with the ending .corrupt",
    "bad_vector": "the query vector was not finite or had another dimension",
    "bad_provenance": "an attribute that the monitor itself writes held what it never writes, and was left out",
    "bad_time": "the time was missing or not believable, so the time of arrival was taken",
    "negative_duration": "it ended before it started, so its duration is not known",
    "trace_not_settled": "the trace could not be judged, so it has no answers",
    "trace_too_large": "the trace is too large to be judged, so it has no answers",
    "document_without_id": "in each of these spans one document or more had no id and was left out",
}


def process_table(processes: Iterable[Completeness], reader: Reader) -> Markup:
    """One row a process: what it began and what arrived."""
    head = [
        "State",
        "Service",
        "Process",
        "Started",
        "Exported",
        "By way of disk",
        "Dropped",
        "Stored",
        "Share",
        "Reported",
    ]
    return table(head, (_process_row(process, reader) for process in processes), right=range(3, 9))


def verdict_of(process: Completeness) -> Look:
    """Whether a process lost something."""
    if process.started is None:
        return _NOT_REPORTED
    if process.dropped:
        return _LOSSES
    return _COMPLETE if process.stored >= process.started else _ON_THE_WAY


def ingest_table(counts: Sequence[IngestCount]) -> Markup:
    """One row an outcome, what went wrong first."""
    ordered = sorted(counts, key=lambda count: (_severity(count.outcome), -count.items))
    rows = (
        [
            _outcome(count.outcome),
            foreign(count.service, longest=80),
            formats.count(count.items),
            meaning(count.outcome),
        ]
        for count in ordered
    )
    return table(["Outcome", "Service", "Items", "What it means"], rows, right=(2,))


def meaning(outcome: str) -> str:
    """What an outcome of the receiver means."""
    kind, _, reason = outcome.partition("_")
    if kind == "rejected":
        return f"Not stored: {_because(reason)}."
    if kind == "flawed":
        return f"Stored, but {_because(reason)}."
    return _MEANINGS.get(outcome, "")


def _because(reason: str) -> str:
    if reason in _REASONS:
        return _REASONS[reason]
    attribute = reason.removeprefix("bad_").replace("_", " ")
    return f"{attribute} was not valid and was left out" if reason.startswith("bad_") else attribute


def _severity(outcome: str) -> int:
    return {"rejected": 0, "flawed": 1}.get(outcome.partition("_")[0], 2)


def _outcome(outcome: str) -> Markup:
    shown = (
        Look("▲", "Rejected", "bad", 0),
        Look("!", "Flawed", "warn", 1),
        Look("✓", "Received", "good", 2),
    )[_severity(outcome)]
    return tag("span", pill(shown), " ", tag("code", outcome), class_="rv-nowrap")


def _process_row(process: Completeness, reader: Reader) -> list[str]:
    return [
        pill(verdict_of(process)),
        foreign(process.service, longest=60),
        _process_id(process.instance_id),
        formats.count(process.started),
        formats.count(process.exported),
        formats.count(process.spooled),
        formats.count(process.dropped),
        formats.count(process.stored),
        formats.percent(process.share),
        tag("span", reader.ago(process.reported_at) if process.reported_at else "never", class_="rv-nowrap"),
    ]


def _process_id(instance_id: str | None) -> str:
    if instance_id is None:
        return formats.DASH
    return tag("code", foreign(instance_id[:_SHOWN_CHARACTERS]), title=instance_id)
