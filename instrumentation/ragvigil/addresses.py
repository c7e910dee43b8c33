"""Addresses as they may be shown in logs and on screens."""

from typing import Final
from urllib.parse import urlsplit

_HIDDEN: Final = "(hidden)"
_MARKS: Final = frozenset("@?#")


def without_secrets(address: str) -> str:
    """An address without what may be secret in it: user, password, query and fragment.

    One that cannot be read tells its scheme at most, as soon as there may be something of the kind in it.
    """
    try:
        url = urlsplit(address)
        # A password may hold what ends the part of the host; then its @ is elsewhere.
        is_readable = bool(url.hostname) and url.port != 0 and address.count("@") == url.netloc.count("@")
    except ValueError:
        is_readable = False
    if is_readable:
        return f"{url.scheme}://{url.netloc.rpartition('@')[2]}{url.path}"
    if _MARKS.isdisjoint(address):
        return address
    scheme, separator, _ = address.partition("://")
    return f"{scheme}://{_HIDDEN}" if separator and scheme.isalnum() else _HIDDEN
