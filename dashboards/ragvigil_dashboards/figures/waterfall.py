"""The spans of an answer as bars on one time axis, children below their parents."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragvigil_dashboards import formats
from ragvigil_dashboards.markup import Markup, foreign, tag
from ragvigil_dashboards.models import StageSpan

_NARROWEST_PERCENT = 0.4


@dataclass(frozen=True, slots=True)
class Bar:
    """One span: how deep it is nested, where its bar lies in percent of the axis, its share (None: unknown)."""

    span: StageSpan
    depth: int
    left: float
    width: float
    share: float | None


def bars(spans: Sequence[StageSpan]) -> list[Bar]:
    """Spans in the order of a waterfall; a span whose parent is not there is a root."""
    start = min((span.offset_ms for span in spans), default=0.0)
    end = max((span.ended_ms for span in spans), default=0.0)
    axis = end - start or 1.0
    return [
        Bar(
            span,
            depth,
            left=round(100 * (span.offset_ms - start) / axis, 3),
            width=round(max(100 * (span.ended_ms - span.offset_ms) / axis, _NARROWEST_PERCENT), 3),
            share=None if span.duration_ms is None else span.duration_ms / axis,
        )
        for span, depth in nested(spans)
    ]


def nested(spans: Sequence[StageSpan]) -> Iterator[tuple[StageSpan, int]]:
    """Each span once, with its depth, parents before children and earlier before later."""
    ordered = sorted(spans, key=lambda span: (span.offset_ms, -span.ended_ms))
    known = {span.span_id for span in spans}
    children: dict[str | None, list[StageSpan]] = defaultdict(list)
    for span in ordered:
        children[span.parent_span_id if span.parent_span_id in known else None].append(span)
    shown: set[str] = set()
    for root in [*children[None], *ordered]:  # what no root leads to has its parents in a circle
        yield from _below(root, children, shown)


def _below(
    root: StageSpan, children: Mapping[str | None, list[StageSpan]], shown: set[str]
) -> Iterator[tuple[StageSpan, int]]:
    waiting = [(root, 0)]
    while waiting:
        span, depth = waiting.pop()
        if span.span_id not in shown:
            shown.add(span.span_id)
            yield span, depth
            waiting.extend((child, depth + 1) for child in reversed(children.get(span.span_id, [])))


def draw(spans: Sequence[StageSpan]) -> Markup:
    """The waterfall as rows of name, bar and duration."""
    return tag("div", *(_row(bar) for bar in bars(spans)), class_="rv-waterfall")


def span_title(span: StageSpan) -> str:
    """What a span is called: its stage, else its name."""
    return span.stage or span.name


def _row(bar: Bar) -> Markup:
    span = bar.span
    failed = span.status.lower() == "error"
    return tag(
        "a",
        tag("span", "▲ " if failed else None, foreign(span_title(span), longest=60), class_="name", style=_indent(bar)),
        tag("span", tag("i", style=f"left:{bar.left}%;width:{min(bar.width, 100)}%"), class_="lane"),
        tag("span", formats.milliseconds(span.duration_ms), class_="num"),
        tag("span", formats.percent(None if bar.share is None else round(bar.share, 2)), class_="num rv-aside"),
        class_=f"rv-bar {tone(span)}",
        href=f"#span-{span.span_id}",
        title=f"{span.name}: starts at {formats.milliseconds(max(0.0, span.offset_ms))}",
    )


def tone(span: StageSpan) -> str:
    """The colour group of a span, by its kind."""
    if span.status.lower() == "error":
        return "bad"
    return {"RETRIEVER": "retrieve", "RERANKER": "rerank", "LLM": "generate", "EMBEDDING": "embed"}.get(
        span.kind or "", "other"
    )


def _indent(bar: Bar) -> str:
    return f"padding-left:{min(bar.depth, 12) * 14}px"
