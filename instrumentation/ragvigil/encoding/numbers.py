"""Numbers of any library as doubles."""

import math


def as_number(value: object) -> float | None:
    """A finite double from a number of any library; None for anything else, bool included."""
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, str | bytes | bool):
        return None
    try:
        if not hasattr(value, "__float__"):
            return None
        number = float(value)
    except Exception:  # noqa: BLE001 - a number of any library may fail in any way
        return None
    return number if math.isfinite(number) else None
