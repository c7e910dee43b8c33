"""What databases keep beside a vector."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Text: TypeAlias = str | Callable[[Any], object] | None
"""Where a text lies: a key, or a function from what holds it; None for nowhere."""

_DEEPEST = 8


def text_of(holder: object, text: Text) -> object:
    """The text in a payload; None where there is none."""
    if text is None:
        return None
    if callable(text):
        return text(holder)
    return flat(holder).get(text) if isinstance(holder, Mapping) else None


def flat(payload: object, prefix: str = "", depth: int = _DEEPEST) -> dict[str, object]:
    """The fields of a payload by their dotted paths, those of objects inside it too.

    A name that holds a dot itself is no path, and left out.
    """
    found: dict[str, object] = {}
    for name, value in payload.items() if isinstance(payload, Mapping) else ():
        if "." in str(name):
            continue
        found[f"{prefix}{name}"] = value
        if isinstance(value, Mapping) and depth:
            found |= flat(value, f"{prefix}{name}.", depth - 1)
    return found
