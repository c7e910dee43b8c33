"""What stands behind an alert, as pairs of a question and its answer."""

from collections.abc import Mapping

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures import gauge
from ragvigil_dashboards.figures.candidates import candidate_chips
from ragvigil_dashboards.figures.links import trace_link
from ragvigil_dashboards.figures.names import series_title
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.markup import Markup, foreign, tag, together
from ragvigil_dashboards.models import Alert, Evidence, SliceShare

_MOST_SLICES = 4
_MOST_TRACES = 6


def evidence_facts(alert: Alert, reader: Reader, phoenix_urls: Mapping[str, str]) -> list[Markup]:
    """Since, how sure, where, what was new, traces: a term and its description each."""
    evidence = alert.evidence
    return [
        *_fact("Since", since(alert, reader)),
        *_fact("How sure", together([gauge.draw(evidence), _sample(evidence, reader)])),
        *([] if alert.cross_check is None else _fact("Checked", tag("span", alert.cross_check))),
        *_fact("Where", together([_slices(evidence), _split(evidence)])),
        *_fact("What was new", candidate_chips(alert, reader)),
        *_fact("Traces", _traces(evidence, phoenix_urls)),
    ]


def since(alert: Alert, reader: Reader) -> Markup:
    """When it began, how long that is, and when it was last seen: the onset, else the opening of the alert."""
    begun = alert.onset_at or alert.opened_at
    lasted = f", for {formats.span((alert.resolved_at or reader.now) - begun)}"
    seen = f", last breach {reader.ago(alert.last_breach_at)}"
    return together([tag("b", reader.when(begun)), lasted, seen, _onset(alert, reader)])


def _onset(alert: Alert, reader: Reader) -> Markup | None:
    if alert.onset_at is None:
        return _aside("alert opened; the onset is not clear")
    if alert.onset_earliest is None or alert.onset_latest is None:
        return None
    return _aside("onset within ", reader.between(alert.onset_earliest, alert.onset_latest))


def _fact(name: str, content: Markup) -> tuple[Markup, Markup]:
    return tag("dt", name), tag("dd", content)


def _aside(*parts: str) -> Markup:
    return tag("span", " · ", *parts, class_="rv-aside")


def _sample(evidence: Evidence, reader: Reader) -> Markup:
    missing = f", {formats.count(evidence.missing)} without a value" if evidence.missing else ""
    counted = f"{formats.count(evidence.n)} observations{missing}, "
    window = reader.between(evidence.window_start, evidence.window_end)
    return tag("div", gauge.certainty(evidence), _aside(counted, window))


def _slices(evidence: Evidence) -> Markup:
    if not evidence.slices:
        return tag("span", "no slice stands out", class_="rv-aside")
    among = [] if evidence.slices_among is None else [_aside(f"among {evidence.slices_among}")]
    return together([*(_slice(share, evidence.unit) for share in evidence.slices[:_MOST_SLICES]), *among])


def _split(evidence: Evidence) -> Markup | None:
    """For example: `change +4.1 points: mix of intents +0.3 points, within intents +3.8 points`."""
    split = evidence.split
    if split is None:
        return None
    change, mix, rate = (
        formats.signed(each, evidence.unit) for each in (split.after - split.before, split.mix, split.rate)
    )
    name = foreign(f"{split.name}s", longest=60)
    return tag("div", f"change {change}: mix of ", name, f" {mix}, within ", name, f" {rate}", class_="rv-aside")


def _slice(share: SliceShare, unit: str) -> Markup:
    name = tag("b", foreign(f"{share.name.replace('_', ' ')} {share.value}", longest=60))
    return tag(
        "span", name, f" {formats.quantity(share.estimate, unit)}, n = {formats.count(share.n)}", class_="rv-chip"
    )


def _traces(evidence: Evidence, phoenix_urls: Mapping[str, str]) -> Markup:
    links = [trace_link(trace, phoenix_urls.get(trace)) for trace in evidence.trace_ids[:_MOST_TRACES]]
    others = ", ".join(series_title(series) for series in evidence.also_in_breach)
    return together(
        [
            *(links or [tag("span", "none kept", class_="rv-aside")]),
            _aside(f"also in breach: {others}") if others else None,
        ]
    )
