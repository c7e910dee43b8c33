"""RFC 3339 text as moments."""

import re
from datetime import UTC, datetime

_RFC3339 = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}:\d{2})(\.\d+)?([Zz]|[+-]\d{2}:\d{2})?)?", re.ASCII)


def parse_moment(text: object) -> datetime | None:
    """The moment, in UTC; a date alone is its midnight, no offset is UTC; None where it is not RFC 3339.

    Fractions are cut to microseconds.
    """
    found = _RFC3339.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    day, time, fraction, offset = found.groups()
    zone = "+00:00" if offset in {None, "Z", "z"} else offset
    try:
        return datetime.fromisoformat(f"{day}T{time or '00:00:00'}{_microseconds(fraction)}{zone}").astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _microseconds(fraction: str | None) -> str:
    return "" if fraction is None else f"{fraction[:7]:0<7}"
