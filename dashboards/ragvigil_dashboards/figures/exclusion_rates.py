"""How often filters keep the evidence out: both rates over several windows, and what could not be judged."""

from collections.abc import Iterator, Mapping, Sequence

from ragvigil_dashboards import formats
from ragvigil_dashboards.exclusion_models import ExclusionSeries, FalseExclusionRates
from ragvigil_dashboards.figures.evidence_words import reason_words
from ragvigil_dashboards.figures.states import GUARDRAIL, look, pill
from ragvigil_dashboards.markup import Markup, table, tag

_AMONG = {"all": "all retrievals with evidence", "filtered": "filtered retrievals with evidence"}
_UNREPRESENTED = {
    "filter_probe": "There is no rate: too few of the filtered retrievals were probed, drawn and "
    "judged. Switch probes on in the application (probe_share), and leave review.probe_share above 0.",
    "unfiltered": "There is no rate over all retrievals: too few of those without relevance clauses were drawn and "
    "judged. Leave review.unfiltered_share above 0.",
}


def exclusion_table(windows: Mapping[int, FalseExclusionRates]) -> Markup:
    """One row a rate and window; `windows` by their length in days."""
    head = ["State", "Among", "Window", "Rate", "95 % interval", "Limit", "Answers", "Excluded", "Unknown", "To go"]
    rows = (_row(days, rate) for days, found in windows.items() for rate in found.rates)
    return table(head, rows, right=(3, 4, 6, 7, 8, 9))


def exclusion_note(found: FalseExclusionRates) -> Markup:
    """How deep was looked, and how many wait for reviewers."""
    every = found.rates[0]
    if every.unrepresented is not None:
        return tag("p", tag("b", _UNREPRESENTED.get(every.unrepresented, every.unrepresented)))
    if not every.drawn:
        return tag("p", "No retrieval of this window has been drawn for review yet.", class_="rv-aside")
    waiting = f"{every.waiting} of {every.drawn} drawn retrievals wait for a reviewer."
    return tag("p", f"{_depths(found)}{waiting}", class_="rv-aside")


def _depths(found: FalseExclusionRates) -> str:
    """How deep the judged retrievals looked; nothing where none is judged."""
    if found.depth is None and found.unfiltered_depth is None:
        return ""
    return (
        f"Judged are filtered retrievals at depth {_depth(found.depth, found.deepest)}, "
        f"the others at depth {_depth(found.unfiltered_depth, found.unfiltered_deepest)}: "
        "evidence further down counts as none. "
    )


def no_evidence_advice(every: ExclusionSeries) -> str:
    """What leads to reviewed evidence, by what is there already."""
    if every.waiting:
        return f"{every.waiting} drawn retrievals wait for a reviewer: open the review page."
    if every.drawn:
        return "All that was drawn was given to reviewers; no relevant document was found in it so far."
    return (
        "Probed searches are drawn for review some time after their answers (review.relevance_matures_h). "
        "If the application does not probe a share of its searches yet, set probe_share there."
    )


def unjudged_table(found: FalseExclusionRates) -> Markup:
    """What could not be judged or drawn, and why; nothing of it counts as fine."""
    rows = list(_reasons(found))
    if not rows and not found.rates[0].drawn:
        return tag("p", "Nothing was drawn, so there was nothing to judge.", class_="rv-aside")
    if not rows:
        return tag("p", "Everything that was drawn and reviewed could be judged.", class_="rv-aside")
    return table(["What", "Why", "Retrievals"], rows, right=(2,))


def _row(days: int, rate: ExclusionSeries) -> Sequence[str]:
    return [
        pill(look(rate.verdict, GUARDRAIL)),
        _AMONG.get(rate.series, rate.series),
        f"{days} d",
        "unknown" if rate.value is None else _percent(rate.value),
        formats.DASH if rate.lower is None or rate.upper is None else f"{_number(rate.lower)}–{_percent(rate.upper)}",
        _limit(rate),
        formats.count(rate.n),
        formats.count(rate.events),
        formats.count(rate.missing),
        _to_go(rate),
    ]


def _limit(rate: ExclusionSeries) -> str:
    if rate.limit is None:
        return "none"
    return f"{_percent(rate.limit)}{' (starting value)' if rate.limit_is_starting_value else ''}"


def _to_go(rate: ExclusionSeries) -> str:
    if rate.limit is None or rate.more_reviews == 0:
        return formats.DASH
    if rate.held_up_by_unknown:
        return "too many unknown"
    return "too close" if rate.more_reviews is None else f"{formats.count(rate.more_reviews)} more"


def _depth(least: int | None, most: int | None) -> str:
    if least is None:
        return "unknown"
    return f"{least}" if least == most else f"{least} to {most}"


def _reasons(found: FalseExclusionRates) -> Iterator[Sequence[str]]:
    for what, counts in (("reviewed, not judged", found.unknown), ("not drawn", found.not_drawn)):
        for reason, n in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
            yield what, reason_words(reason), formats.count(n)


def _percent(share: float) -> str:
    return f"{_number(share)} %"


def _number(share: float) -> str:
    return f"{100 * share:.3g}"
