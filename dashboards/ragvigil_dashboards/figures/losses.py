"""What each stage did to the evidence: documents in and out, and what got lost on the way."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.waterfall import span_title
from ragvigil_dashboards.markup import Markup, foreign, table, tag, together
from ragvigil_dashboards.models import Document, StageSpan

_MOST_IDS = 8


_NOT_RECORDED = tag("span", "not recorded", class_="rv-aside")
_Ids = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Loss:
    """One stage with documents: what the stage before returned and this one did not, and what is new.

    The first stage has nothing before it. lost and added are None where the stage did not record what it returned.
    left: what is known to be there after the stage.
    """

    span: StageSpan
    lost: _Ids | None
    added: _Ids | None
    is_first: bool
    left: _Ids | None


def losses(spans: Iterable[StageSpan]) -> Iterator[Loss]:
    """Stages that recorded what they returned or were given, in the order in which they ended."""
    before: _Ids | None = None
    for span in sorted(spans, key=lambda span: span.ended_ms):
        given, returned = _ids(span.input_documents), _ids(span.output_documents)
        if not given and returned is None:
            continue
        known = given if before is None else before
        before = known if returned is None else returned
        yield Loss(span, *_change(known, returned), is_first=known is None, left=before)


def losses_table(spans: Sequence[StageSpan], citations: Sequence[str] | None) -> Markup:
    """One row a stage, and at the end which of the last stage's documents the answer cites (None: not recorded)."""
    found = list(losses(spans))
    if not found:
        return tag("p", "No stage recorded documents.", class_="rv-aside")
    rows = [*map(_row, found), _citation_row(found[-1], citations)]
    return table(["Stage", "In", "Out", "Lost since the stage before", "New"], rows, right=(1, 2))


def _ids(documents: Iterable[Document] | None) -> _Ids | None:
    return None if documents is None else tuple(document.id for document in documents)


def _change(before: _Ids | None, after: _Ids | None) -> tuple[_Ids | None, _Ids | None]:
    """What is lost and what is new; None for both where it is not known what there is after."""
    if after is None:
        return None, None
    return _without(before or (), after), _without(after, before or ())


def _without(ids: Iterable[str], others: Iterable[str]) -> _Ids:
    known = set(others)
    return tuple(dict.fromkeys(id_ for id_ in ids if id_ not in known))


def _row(loss: Loss) -> list[str]:
    span = loss.span
    return [
        foreign(span_title(span), longest=60),
        _number(span.input_documents, otherwise=formats.DASH),
        _number(span.output_documents),
        formats.DASH if loss.is_first else _list_or_unknown(loss.lost),
        formats.DASH if loss.is_first else _list_or_unknown(loss.added),
    ]


def _citation_row(last: Loss, citations: Sequence[str] | None) -> list[str]:
    lost, added = _change(last.left, None if citations is None else tuple(citations))
    return [
        tag("b", "cited in the answer"),
        _number(last.left),
        _number(citations),
        _list_or_unknown(lost),
        _list_or_unknown(added),
    ]


def _number(listed: Sequence[object] | None, otherwise: str = _NOT_RECORDED) -> str:
    return otherwise if listed is None else formats.count(len(listed))


def _list_or_unknown(ids: _Ids | None) -> str:
    return formats.DASH if ids is None else id_list(ids)


def id_list(ids: Sequence[str]) -> Markup:
    """The first ids and how many more there are."""
    if not ids:
        return tag("span", "none", class_="rv-aside")
    more = len(ids) - _MOST_IDS
    shown = together(tag("code", foreign(id_, longest=80)) for id_ in ids[:_MOST_IDS])
    return tag("span", tag("b", formats.count(len(ids))), " ", shown, f" and {more} more" if more > 0 else None)
