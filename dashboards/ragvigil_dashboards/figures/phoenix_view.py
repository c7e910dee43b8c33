"""What became of the spans for Phoenix."""

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.answer_view import pairs_list
from ragvigil_dashboards.figures.links import phoenix_link
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.states import Look, pill
from ragvigil_dashboards.markup import Markup, foreign, tag, together
from ragvigil_dashboards.models import PhoenixState

_FAILING = Look("▲", "Not reached", "bad", 0)
_LOSSES = Look("!", "Losses", "warn", 1)
_WELL = Look("✓", "Well", "good", 2)
_NOTHING_YET = Look("…", "Nothing sent yet", "calm", 2)


def phoenix_facts(state: PhoenixState, reader: Reader) -> Markup:
    """State, share and counts of spans, then what Phoenix said last if it fails."""
    pairs: list[tuple[str, str | None]] = [
        ("State", pill(verdict_of(state))),
        ("Address", phoenix_link(state.url, state.url)),
        ("Share of traces", formats.percent(state.share)),
        ("Spans forwarded", formats.count(state.forwarded)),
        ("Waiting", formats.count(state.waiting)),
        ("Dropped", formats.count(state.dropped)),
        ("Refused", formats.count(state.refused)),
    ]
    return together([pairs_list(pairs, "rv-strip"), _failure(state, reader)])


def verdict_of(state: PhoenixState) -> Look:
    """Whether Phoenix takes what it is sent, and did so far."""
    if state.failing_since is not None:
        return _FAILING
    if state.dropped or state.refused:
        return _LOSSES
    return _WELL if state.forwarded else _NOTHING_YET


def _failure(state: PhoenixState, reader: Reader) -> Markup | None:
    if state.failing_since is None:
        return None
    said = foreign(state.error or "no reason known", longest=300)
    return tag("p", "It does not take what it is sent, since ", reader.when(state.failing_since), ": ", said)
