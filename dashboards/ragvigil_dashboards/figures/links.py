"""Links between pages, relative so that they work below any base path."""

from urllib.parse import quote

from ragvigil_dashboards.markup import Markup, tag

_SHOWN_DIGITS = 8


def trace_link(trace_id: str) -> Markup:
    """A link to the answer's page, named by the first digits."""
    href = f"answer?trace_id={quote(trace_id, safe='')}"
    return tag("a", trace_id[:_SHOWN_DIGITS], href=href, title=trace_id, class_="rv-trace")


def signal_link(signal: str, text: str) -> Markup:
    """A link to a signal's charts."""
    return tag("a", text, href=f"signals?signal={quote(signal, safe='')}")
