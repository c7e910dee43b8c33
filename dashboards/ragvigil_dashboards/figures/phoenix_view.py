"""What became of the spans and annotations for Phoenix."""

from datetime import datetime

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.answer_view import pairs_list
from ragvigil_dashboards.figures.links import phoenix_link
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.states import Look, pill
from ragvigil_dashboards.markup import Markup, foreign, tag, together
from ragvigil_dashboards.models import PhoenixAnnotations, PhoenixState

_FAILING = Look("▲", "Not reached", "bad", 0)
_LOSSES = Look("!", "Losses", "warn", 1)
_WELL = Look("✓", "Well", "good", 2)
_NOTHING_YET = Look("…", "Nothing sent yet", "calm", 2)


def phoenix_facts(state: PhoenixState, reader: Reader) -> Markup:
    """State, share and counts of spans and annotations, then what Phoenix said last if it fails."""
    pairs: list[tuple[str, str | None]] = [
        ("State", pill(verdict_of(state))),
        ("Address", phoenix_link(state.url, state.url)),
        ("Share of traces", formats.percent(state.share)),
        ("Spans forwarded", formats.count(state.forwarded)),
        ("Waiting", formats.count(state.waiting)),
        ("Dropped", formats.count(state.dropped)),
        ("Refused", formats.count(state.refused)),
    ]
    failures = [
        _failure("spans", state.failing_since, state.error, reader),
        _failure("annotations", state.annotations.unreached_since, state.annotations.last_error, reader),
    ]
    return together([pairs_list(pairs, "rv-strip"), _annotations(state.annotations), *failures])


def verdict_of(state: PhoenixState) -> Look:
    """Whether Phoenix takes what it is sent, and did so far."""
    if state.failing_since is not None or state.annotations.unreached_since is not None:
        return _FAILING
    if state.dropped or state.refused or state.annotations.given_up:
        return _LOSSES
    return _WELL if state.forwarded else _NOTHING_YET


def _annotations(counts: PhoenixAnnotations) -> Markup:
    pairs: list[tuple[str, str | None]] = [
        ("Annotations delivered", formats.count(counts.delivered)),
        ("Waiting", formats.count(counts.waiting)),
        ("Given up", formats.count(counts.given_up)),
        ("Trace not forwarded", formats.count(counts.not_forwarded)),
        ("Last error", foreign(counts.last_error, longest=300) if counts.given_up and counts.last_error else None),
    ]
    return pairs_list(pairs, "rv-strip")


def _failure(what: str, since: datetime | None, error: str | None, reader: Reader) -> Markup | None:
    if since is None:
        return None
    said = foreign(error or "no reason known", longest=300)
    return tag("p", f"It does not take the {what} that it is sent, since ", reader.when(since), ": ", said)
