"""Addresses as they may be shown in logs and on screens."""

from typing import Final
from urllib.parse import SplitResult, urlsplit

_HIDDEN: Final = "(hidden)"
_MARKS: Final = frozenset("@?#")


def without_secrets(address: str) -> str:
    """An address without what may be secret in it: user, password, query and fragment.

    One that cannot be read tells its scheme at most, as soon as there may be something of the kind in it.
    """
    url = _read(address)
    if url is not None:
        return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
    if _MARKS.isdisjoint(address):
        return address
    scheme, separator, _ = address.partition("://")
    return f"{scheme}://{_HIDDEN}" if separator and scheme.isalnum() else _HIDDEN


def _read(address: str) -> SplitResult | None:
    """The parts of an address; None where it is unsure which part is what."""
    try:
        url = urlsplit(address)
        # A password may hold what ends the part of the host; then its @ is elsewhere.
        is_sure = bool(url.hostname) and url.port != 0 and address.count("@") == url.netloc.count("@")
    except ValueError:
        return None
    return url if is_sure else None
