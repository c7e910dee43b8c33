"""What a triage says, in one sentence: a suspicion from times, never a cause."""

from collections.abc import Sequence
from datetime import datetime

from ragvigil_monitor.guardrails.models import Candidate, TriageVerdict
from ragvigil_monitor.marker_kinds import MEASUREMENT

MOST_SHOWN = 1000.0
_NOT_LOOKED_FOR = "a return to an earlier version is not looked for"


def triage_sentence(verdict: TriageVerdict, near: Sequence[Candidate], start: datetime, end: datetime) -> str:
    """For example: Regression suspected: release shop 1.4.2 (first seen 2 Jun 02:10 UTC, BF 34) lies at the onset."""
    match verdict:
        case TriageVerdict.MEASUREMENT_CHANGE:
            first = next(each for each in near if each.kind == MEASUREMENT)
            return f"Measurement change: {candidate_words(first)} lies near the onset, so the change may not be real."
        case TriageVerdict.REGRESSION_SUSPECTED:
            return f"Regression suspected: {candidate_words(near[0])} lies at the onset{_others(near)}."
        case TriageVerdict.DRIFT_SUSPECTED:
            unseen = f"nothing was seen for the first time from {utc(start)} to {utc(end)}"
            return f"Drift suspected: {unseen}; {_NOT_LOOKED_FOR}."
        case TriageVerdict.UNDETERMINED if near:
            near_it = f"{candidate_words(near[0])} lies near the onset{_others(near)}"
            return f"Undetermined: {near_it}, which may as well lie elsewhere."
        case TriageVerdict.UNDETERMINED:
            return f"Undetermined: what was new from {utc(start)} to {utc(end)} is not fully known."


def candidate_words(candidate: Candidate) -> str:
    """`release shop 1.4.2 (first seen 2 Jun 02:10 UTC, BF 34)`."""
    factor = "" if candidate.bayes_factor is None else f", BF {factor_words(candidate.bayes_factor)}"
    seen = f"first seen {utc(candidate.first_seen_at)}{factor}"
    return f"{candidate.kind} {candidate.service} {candidate.value} ({seen})"


def factor_words(bayes_factor: float) -> str:
    """Two digits, and no more than a thousand: `34`, `0.6`, `> 1000`."""
    if bayes_factor > MOST_SHOWN:
        return f"> {MOST_SHOWN:.0f}"
    return f"{bayes_factor:.0f}" if bayes_factor >= 10 else f"{bayes_factor:.1f}"


def utc(moment: datetime) -> str:
    """`2 Jun 02:10 UTC`."""
    return f"{moment.day} {moment:%b %H:%M} UTC"


def _others(near: Sequence[Candidate]) -> str:
    return f" ({len(near) - 1} more lie near it)" if len(near) > 1 else ""
