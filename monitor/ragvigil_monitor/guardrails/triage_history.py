"""What the triage of an alert said before: it is judged again with more data, and no verdict is forgotten."""

from datetime import datetime

from ragvigil_monitor.guardrails.models import Evidence, Triage, TriageNote
from ragvigil_monitor.store import Store

MOST_KEPT = 20
"""The first verdict of an alert and the newest ones."""


class TriageHistory:
    """The verdicts on alerts, as they are stored and as the looks of one turn go on from there."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._notes: dict[str, list[TriageNote]] = {}

    def noted(self, alert_id: str, evidence: Evidence, judged_at: datetime) -> Evidence:
        """The evidence of a look with all verdicts up to it; a verdict that still holds is not noted again."""
        notes = _and(self._notes_of(alert_id), evidence.triage, judged_at)
        self._notes[alert_id] = notes
        return evidence.model_copy(update={"triages": notes})

    def _notes_of(self, alert_id: str) -> list[TriageNote]:
        if alert_id in self._notes:
            return self._notes[alert_id]
        stored = self._store.rows("alert_by_id", alert_id=alert_id)
        return Evidence.model_validate_json(stored[0]["evidence"]).triages if stored else []


def _and(notes: list[TriageNote], triage: Triage | None, judged_at: datetime) -> list[TriageNote]:
    if triage is None or (notes and notes[-1].verdict is triage.verdict):
        return notes
    new = TriageNote(judged_at=judged_at, verdict=triage.verdict, sentence=triage.sentence)
    kept = notes if len(notes) < MOST_KEPT else [notes[0], *notes[-MOST_KEPT + 2 :]]
    return [*kept, new]
