"""What an installer would bring, by the metadata of what is installed."""

from importlib.metadata import requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


def distributions(name: str) -> set[str]:
    """Itself and everything that it needs without extras, and that this needs in turn, on this machine."""
    found: set[tuple[str, frozenset[str]]] = set()
    waiting = [Requirement(name)]
    while waiting:
        wanted = waiting.pop()
        own = (canonicalize_name(wanted.name), frozenset(wanted.extras))
        if own not in found:
            found.add(own)
            needed = map(Requirement, requires(own[0]) or ())
            waiting += [need for need in needed if _applies(need, wanted.extras)]
    return {own for own, _ in found}


def _applies(need: Requirement, extras: set[str]) -> bool:
    return need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in {"", *extras})
