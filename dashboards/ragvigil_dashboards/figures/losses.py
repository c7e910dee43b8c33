"""What each stage did to the evidence: documents in and out, and what got lost on the way."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.waterfall import span_title
from ragvigil_dashboards.markup import Markup, foreign, table, tag, together
from ragvigil_dashboards.models import StageSpan

_MOST_IDS = 8


@dataclass(frozen=True, slots=True)
class Loss:
    """One stage with documents: what the stage before returned and this one did not, and what is new.

    The first stage has nothing before it.
    """

    span: StageSpan
    lost: tuple[str, ...]
    added: tuple[str, ...]
    is_first: bool


def losses(spans: Iterable[StageSpan]) -> Iterator[Loss]:
    """Stages that returned or were given documents, in the order in which they ended."""
    before: tuple[str, ...] | None = None
    for span in sorted(spans, key=lambda span: span.ended_ms):
        given, returned = _ids(span)
        if not given and not returned:
            continue
        known = given if before is None else before
        yield Loss(span, lost=_without(known, returned), added=_without(returned, known), is_first=not known)
        before = returned


def losses_table(spans: Sequence[StageSpan], citations: Sequence[str]) -> Markup:
    """One row a stage, and at the end which of the last stage's documents the answer cites."""
    rows = [_row(loss) for loss in losses(spans)]
    if not rows:
        return tag("p", "No stage recorded documents.", class_="rv-aside")
    last = next(reversed(list(losses(spans))))
    rows.append(_citation_row(last.span, citations))
    return table(["Stage", "In", "Out", "Lost since the stage before", "New"], rows, right=(1, 2))


def _ids(span: StageSpan) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return (
        tuple(document.id for document in span.input_documents),
        tuple(document.id for document in span.output_documents),
    )


def _without(ids: Iterable[str], others: Iterable[str]) -> tuple[str, ...]:
    known = set(others)
    return tuple(dict.fromkeys(id_ for id_ in ids if id_ not in known))


def _row(loss: Loss) -> list[str]:
    span = loss.span
    given = formats.count(len(span.input_documents)) if span.input_documents else formats.DASH
    return [
        foreign(span_title(span), longest=60),
        given,
        formats.count(len(span.output_documents)),
        formats.DASH if loss.is_first else id_list(loss.lost),
        formats.DASH if loss.is_first else id_list(loss.added),
    ]


def _citation_row(last: StageSpan, citations: Sequence[str]) -> list[str]:
    returned = [document.id for document in last.output_documents]
    return [
        tag("b", "cited in the answer"),
        formats.count(len(returned)),
        formats.count(len(citations)),
        id_list(_without(returned, citations)),
        id_list(_without(citations, returned)),
    ]


def id_list(ids: Sequence[str]) -> Markup:
    """The first ids and how many more there are."""
    if not ids:
        return tag("span", "none", class_="rv-aside")
    more = len(ids) - _MOST_IDS
    shown = together(tag("code", foreign(id_, longest=80)) for id_ in ids[:_MOST_IDS])
    return tag("span", tag("b", formats.count(len(ids))), " ", shown, f" and {more} more" if more > 0 else None)
