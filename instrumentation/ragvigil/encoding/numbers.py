"""Numbers of any library as doubles."""

import math


def as_number(value: object) -> float | None:
    """A finite double from a number of any library; None for anything else, bool included."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, str | bytes | bool) or not hasattr(value, "__float__"):
        return None
    try:
        number = float(value)
    except (ValueError, TypeError, OverflowError):
        return None
    return number if math.isfinite(number) else None
