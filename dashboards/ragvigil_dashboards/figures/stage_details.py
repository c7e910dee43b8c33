"""One stage in full: model, tokens, cost, filter in words, documents with scores, raw attributes."""

import json
from collections.abc import Sequence

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.answer_view import pairs_list
from ragvigil_dashboards.figures.waterfall import nested, span_title
from ragvigil_dashboards.markup import Markup, foreign, table, tag, together
from ragvigil_dashboards.models import Document, StageSpan

_MOST_DOCUMENTS = 50


def stage_details(spans: Sequence[StageSpan]) -> Markup:
    """A folded section a span, in the order of the waterfall; stages with documents or a filter are open."""
    return together(_section(span) for span, _ in nested(spans))


def _section(span: StageSpan) -> Markup:
    return tag(
        "details",
        tag("summary", foreign(span_title(span), longest=80), " ", tag("span", _summary(span), class_="rv-aside")),
        pairs_list(_pairs(span)),
        _documents(span),
        _raw(span),
        class_="rv-stage",
        id=f"span-{span.span_id}",
        open="" if span.filter_state or span.output_documents else None,
    )


def _summary(span: StageSpan) -> str:
    parts = [formats.milliseconds(span.duration_ms)]
    if span.model:
        parts.append(span.model[:80])
    if span.cost_usd is not None:
        parts.append(formats.money(span.cost_usd))
    return " · ".join(parts)


def _pairs(span: StageSpan) -> list[tuple[str, str | None]]:
    return [
        ("Span", foreign(f"{span.name} ({span.kind})" if span.kind else span.name, longest=200)),
        ("Failed", foreign(span.status_message or "no message") if span.status.lower() == "error" else None),
        ("Model", foreign(span.model, longest=120) if span.model else None),
        ("Tokens", _tokens(span)),
        ("Cost", None if span.cost_usd is None else formats.money(span.cost_usd)),
        (
            "First token",
            None if span.time_to_first_token_ms is None else formats.milliseconds(span.time_to_first_token_ms),
        ),
        ("Query", foreign(span.query_text, longest=2000) if span.query_text else None),
        ("Asked for", None if span.top_k is None else f"{formats.count(span.top_k)} documents"),
        ("Filter", filter_words(span)),
        ("Context", _context(span)),
        ("Attributes lost", formats.count(span.dropped_attributes) if span.dropped_attributes else None),
    ]


def filter_words(span: StageSpan) -> Markup | None:
    """The filter in words, with what is known of it; None where a stage has none to speak of."""
    if span.filter_state is None:
        return None
    if span.filter_state == "none":
        return tag("span", "none: every document could be found")
    if not span.filter_in_words:
        return tag("span", "unknown filter", class_="rv-pill warn")
    doubt = tag("span", f"{span.filter_state} filter", class_="rv-pill warn") if span.filter_state != "known" else None
    return together([tag("ul", *(tag("li", foreign(phrase)) for phrase in span.filter_in_words)), doubt])


def _tokens(span: StageSpan) -> str | None:
    if span.input_tokens is None and span.output_tokens is None:
        return None
    return f"{formats.count(span.input_tokens)} in, {formats.count(span.output_tokens)} out"


def _context(span: StageSpan) -> Markup | None:
    if span.context_tokens is None and span.context_truncated is None:
        return None
    length = "" if span.context_tokens is None else f"{formats.count(span.context_tokens)} tokens "
    cut = tag("span", "cut: it did not fit", class_="rv-pill warn") if span.context_truncated else None
    return tag("span", length, cut)


def _documents(span: StageSpan) -> Markup | None:
    lists = [("In", span.input_documents), ("Out", span.output_documents)]
    shown = [_document_table(name, documents) for name, documents in lists if documents]
    return tag("div", *shown, class_="rv-columns") if shown else None


def _document_table(name: str, documents: Sequence[Document]) -> Markup:
    rows = (
        [str(rank), tag("code", foreign(document.id, longest=120)), _score(document.score)]
        for rank, document in enumerate(documents[:_MOST_DOCUMENTS], start=1)
    )
    more = len(documents) - _MOST_DOCUMENTS
    return tag(
        "div",
        table(["#", f"{name}: {formats.count(len(documents))} documents", "Score"], rows, right=(0, 2)),
        tag("p", f"and {more} more", class_="rv-aside") if more > 0 else None,
    )


def _score(score: float | None) -> str:
    return formats.DASH if score is None else f"{score:.4g}"


def _raw(span: StageSpan) -> Markup | None:
    if not span.attributes:
        return None
    text = json.dumps(span.attributes, indent=2, ensure_ascii=False, sort_keys=True)
    return tag("details", tag("summary", "Raw attributes"), tag("pre", foreign(text)), class_="rv-raw")
