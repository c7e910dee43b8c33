"""Where a trace is in Phoenix."""

from ragvigil_monitor.phoenix.share import is_in_share
from ragvigil_monitor.settings import Phoenix


def trace_url(settings: Phoenix, trace_id: bytes) -> str | None:
    """The address of a trace in Phoenix, for a browser; None without a Phoenix or for a trace outside the share."""
    base = settings.public_url or settings.url
    if settings.url is None or base is None or not is_in_share(trace_id, settings.share):
        return None
    return f"{base}/redirects/traces/{trace_id.hex()}"


def share_of(settings: Phoenix) -> float | None:
    """The share of the traces that is sent; None without a Phoenix."""
    return None if settings.url is None else settings.share
