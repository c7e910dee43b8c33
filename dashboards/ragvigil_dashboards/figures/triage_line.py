"""The first suspicion about an alert, in words: did something new come with it, or nothing? Never a cause."""

from collections.abc import Sequence

from ragvigil_dashboards.figures.candidates import candidate_name, factor
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.markup import Markup, tag, together
from ragvigil_dashboards.models import Candidate, Evidence, Triage, TriageNote

_MEASUREMENT = "measurement"


def triage_line(evidence: Evidence, reader: Reader) -> Markup | None:
    """For example: "Regression suspected: release shop 1.4.2 (first seen 02:10, BF 34) lies at the onset."; or None.

    What was said before follows: " Before: undetermined (03:00)."
    """
    if evidence.triage is None:
        return None
    words = _words(evidence.triage, evidence.releases, reader)
    return tag("p", words, _before(evidence.triages[:-1], reader), class_="rv-triage")


def _words(triage: Triage, near: Sequence[Candidate], reader: Reader) -> Markup:
    between = reader.between(triage.searched_from, triage.searched_until)
    match triage.verdict:
        case "regression-suspected" if near:
            return _said("Regression suspected", _named(near[0], reader), " lies at the onset", _others(near), ".")
        case "drift-suspected":
            unseen = "; a return to an earlier version is not looked for."
            return _said("Drift suspected", "nothing was seen for the first time from ", between, unseen)
        case "undetermined" if near:
            beside = together([_named(near[0], reader), " lies near the onset", _others(near)])
            return _said("Undetermined", beside, ", which may as well lie elsewhere.")
        case "undetermined":
            return _said("Undetermined", "what was new from ", between, " is not fully known.")
        case "measurement-change" if any(each.kind == _MEASUREMENT for each in near):
            changed = next(each for each in near if each.kind == _MEASUREMENT)
            return _said(
                "Measurement change", _named(changed, reader), " lies near the onset, so the change may not be real."
            )
    return together([triage.sentence])


def _before(notes: Sequence[TriageNote], reader: Reader) -> Markup | None:
    if not notes:
        return None
    said = [together([", " if number else "", *_note(note, reader)]) for number, note in enumerate(notes)]
    return together([" Before: ", *said, "."])


def _note(note: TriageNote, reader: Reader) -> tuple[Markup | str, ...]:
    return note.verdict.replace("-", " "), " (", reader.when(note.judged_at), ")"


def _said(verdict: str, *words: str) -> Markup:
    return together([tag("b", verdict), ": ", *words])


def _named(candidate: Candidate, reader: Reader) -> Markup:
    known = factor(candidate)
    seen = [" (first seen ", reader.when(candidate.first_seen_at), *([", ", known] if known else []), ")"]
    return together([candidate_name(candidate), *seen])


def _others(near: Sequence[Candidate]) -> str:
    return f" ({len(near) - 1} more lie near it)" if len(near) > 1 else ""
