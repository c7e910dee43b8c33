"""What was new near the onset of an alert: candidates for its origin, and how much the counts speak for each."""

from datetime import datetime

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.markup import Markup, foreign, tag, together
from ragvigil_dashboards.models import Alert, Candidate

_MOST_FACTOR = 1000.0


def candidate_chips(alert: Alert, reader: Reader) -> Markup:
    """Every candidate: what, since when, where beside the onset, its Bayes factor."""
    if not alert.evidence.releases:
        unknown = alert.evidence.triage is not None and alert.evidence.triage.verdict == "undetermined"
        said = "not fully known" if unknown else "nothing was seen for the first time near the onset"
        return tag("span", said, class_="rv-aside")
    return together(_chip(candidate, alert, reader) for candidate in alert.evidence.releases)


def candidate_name(candidate: Candidate) -> Markup:
    """`release shop 1.5.0`."""
    name = foreign(f"{candidate.service} {candidate.value}", longest=80)
    return together([candidate.kind.replace("_", " "), " ", tag("b", name)])


def factor(candidate: Candidate) -> str | None:
    """`BF 34`, at most `BF > 1000`; None without one."""
    value = candidate.bayes_factor
    if value is None:
        return None
    if value > _MOST_FACTOR:
        return f"BF > {_MOST_FACTOR:.0f}"
    return f"BF {value:.0f}" if value >= 10 else f"BF {value:.1f}"


def _chip(candidate: Candidate, alert: Alert, reader: Reader) -> Markup:
    said = [", ", _beside(alert, candidate.first_seen_at)]
    known = factor(candidate)
    if known:
        said += [", ", known]
    return tag(
        "span", candidate_name(candidate), " first seen ", reader.when(candidate.first_seen_at), *said, class_="rv-chip"
    )


def _beside(alert: Alert, seen: datetime) -> str:
    if alert.onset_earliest and alert.onset_latest and alert.onset_earliest <= seen <= alert.onset_latest:
        return "inside the onset interval"
    onset = alert.onset_at or alert.opened_at
    if seen <= onset:
        return f"{formats.span(onset - seen)} before the onset"
    return f"{formats.span(seen - onset)} after the onset"
