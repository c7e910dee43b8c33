"""The small jobs that the looks depend on: stages linked to their answers, markers noted, guardrails announced."""

from datetime import timedelta

import pyarrow as pa

from ragvigil import attributes as names
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.registry import GUARDRAILS
from ragvigil_monitor.guardrails.triage import MOST_VALUES
from ragvigil_monitor.guardrails.waiting import waiting_sentences
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Writer

OVERLAP = timedelta(hours=1)
"""How far before its last run a job looks again, for what came late."""
_FACTS = [
    f'$."{name}"'
    for name in (
        names.RESPONSE_MODEL,
        names.INDEX_VERSION,
        names.EMBEDDING_VERSION,
        names.FILTER_EXTRACTOR_NAME,
        names.FILTER_EXTRACTOR_VERSION,
    )
]
"""Where the attributes of a span say what it worked with, in the order that `markers_in` expects."""


def link_stages(service: Service, turn: Turn) -> Write:
    """Link spans to their answers across requests."""
    del service

    def write(writer: Writer) -> None:
        writer.execute("link_stages", earliest=turn.start - OVERLAP, latest=turn.now + OVERLAP)

    return write


def note_markers(service: Service, turn: Turn) -> Write:
    """Note which releases, models, indices and the like were seen, and when first."""
    window = {"window_start": turn.start - OVERLAP, "window_end": turn.now}
    seen = service.store.rows("markers_in", paths=_FACTS, most=MOST_VALUES, **window)

    def write(writer: Writer) -> None:
        for marker in seen:
            writer.execute("add_marker", **marker)

    return write


def warm_up(service: Service, turn: Turn) -> Write | None:
    """Until a guardrail looks: show what it waits for, the first answer or its first look."""
    answered_at = service.store.row("first_answer_time")["first_answer_at"]
    rows = [
        {
            "guardrail": guardrail.name,
            "series": series,
            "state": State.WARMING_UP.value,
            "since": turn.now,
            "evaluated_at": turn.now,
            "sentence": sentence,
        }
        for guardrail in GUARDRAILS
        if not service.store.rows("watermark_of_job", job=guardrail.name)
        for series, sentence in waiting_sentences(guardrail, service.settings, answered_at, turn.now).items()
    ]
    question = "announce_guardrail_states"
    if answered_at is not None:  # none is added then, so that a replay of stored answers gives the same tables
        question, rows = "renew_waiting_guardrail_states", _announced(service, rows)
    return (lambda writer: _say(writer, question, rows)) if rows else None


def _announced(service: Service, rows: list[dict[str, object]]) -> list[dict[str, object]]:
    known = {(row["guardrail"], row["series"]) for row in service.store.rows("guardrail_states_now")}
    return [row for row in rows if (row["guardrail"], row["series"]) in known]


def _say(writer: Writer, question: str, rows: list[dict[str, object]]) -> None:
    writer.execute_with(question, pa.Table.from_pylist(rows))
