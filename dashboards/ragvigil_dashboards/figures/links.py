"""Links between pages, relative so that they work below any base path."""

from urllib.parse import quote

from ragvigil_dashboards.markup import Markup, tag, together

_SHOWN_DIGITS = 8


def trace_link(trace_id: str, phoenix_url: str | None = None) -> Markup:
    """A link to the answer's page, named by the first digits; beside it one to Phoenix, if the trace is there."""
    href = f"answer?trace_id={quote(trace_id, safe='')}"
    here = tag("a", trace_id[:_SHOWN_DIGITS], href=href, title=trace_id, class_="rv-trace")
    return here if phoenix_url is None else together([here, phoenix_link(phoenix_url, "Phoenix")])


def phoenix_link(url: str, text: str) -> Markup:
    """A link to a trace in Phoenix, in a tab of its own."""
    return tag("a", text, href=url, target="_blank", rel="noreferrer", class_="rv-phoenix")


def signal_link(signal: str, text: str) -> Markup:
    """A link to a signal's charts."""
    return tag("a", text, href=f"signals?signal={quote(signal, safe='')}")
