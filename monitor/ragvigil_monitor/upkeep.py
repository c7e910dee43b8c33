"""The small jobs that the looks depend on: stages linked to their answers, releases noted, guardrails announced."""

from datetime import timedelta

import pyarrow as pa

from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.registry import GUARDRAILS
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Writer

OVERLAP = timedelta(hours=1)
"""How far before its last run a job looks again, for what came late."""


def link_stages(service: Service, turn: Turn) -> Write:
    """Link spans to their answers across requests."""
    del service

    def write(writer: Writer) -> None:
        writer.execute("link_stages", earliest=turn.start - OVERLAP, latest=turn.now + OVERLAP)

    return write


def releases(service: Service, turn: Turn) -> Write:
    """Note which versions were seen, and when first."""
    seen = service.store.rows("releases_in", window_start=turn.start - OVERLAP, window_end=turn.now)

    def write(writer: Writer) -> None:
        for release in seen:
            writer.execute("add_release", **release)

    return write


def warm_up(service: Service, turn: Turn) -> Write | None:
    """Before the first answer: show what every guardrail waits for, so that the page is not empty."""
    if service.store.row("first_answer_time")["first_answer_at"] is not None:
        return None
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
        for series, sentence in guardrail.waiting(service.settings).items()
    ]
    return (lambda writer: _announce(writer, rows)) if rows else None


def _announce(writer: Writer, rows: list[dict[str, object]]) -> None:
    writer.execute_with("announce_guardrail_states", pa.Table.from_pylist(rows))
