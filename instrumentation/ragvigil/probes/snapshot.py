"""The arguments of a call as they are now: its probe runs later, and by then whoever called may have changed them."""

import functools
import types
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from copy import deepcopy
from enum import Enum
from typing import Any, Final

from ragvigil.observation import Arguments, Keywords
from ragvigil.searches import NotProbeable

MAX_ITEMS: Final = 20_000
"""Items, over all arguments, that are copied for one probe."""
MAX_ARRAY_BYTES: Final = 1_048_576
"""The largest array that is copied."""


def snapshot(arguments: Arguments, keywords: Keywords, kept: Iterable[object] = ()) -> tuple[Arguments, dict[str, Any]]:
    """Copies of all that holds data: containers, arrays, and objects made of nothing else, such as pydantic models.

    What is `kept`, and what does something (a client, a session, a function), stays the same object. Raises
    NotProbeable for iterators and for more than can be copied cheaply, and whatever copying raises.
    """
    call = tuple(arguments), dict(keywords)
    survey = _Survey(kept)
    survey.is_data(call)
    return deepcopy(call, {id(service): service for service in survey.services})


class _Survey:
    """Walks through arguments and finds what must not be copied."""

    def __init__(self, kept: Iterable[object]) -> None:
        self.services: list[object] = list(kept)
        self._kept = {id(each) for each in self.services}
        self._seen: set[int] = set()
        self._left = MAX_ITEMS

    def is_data(self, value: Any) -> bool:
        """Whether nothing in it does anything; what is being looked at already counts as such."""
        if type(value) in _ATOMS or id(value) in self._seen:
            return id(value) not in self._kept
        self._seen.add(id(value))
        if isinstance(value, _CONTAINERS):
            return self._are_data(value)
        return self._is_plain(value) or self._keep(value)

    def _are_data(self, value: Any) -> bool:
        items = [*value.keys(), *value.values()] if isinstance(value, Mapping) else list(value)
        self._count(len(items))
        if _ATOMS.issuperset(map(type, items)):
            return True
        if any(isinstance(item, Iterator) for item in items):
            raise NotProbeable("an argument is an iterator, which the search has used up")
        return False not in {self.is_data(item) for item in items}  # all are looked at: the container is copied

    def _is_plain(self, value: Any) -> bool:
        """Whether an object is made of data only."""
        kind = type(value)
        if id(value) in self._kept or isinstance(value, _SERVICES):
            return False
        if hasattr(kind, "nbytes") and hasattr(kind, "__deepcopy__"):
            return _is_small(value)
        if isinstance(value, _IMMUTABLE) or kind.__module__ in _IMMUTABLE_MODULES or isinstance(value, Collection):
            return True
        parts = _parts(value)
        if parts is not None and not parts:
            self.services.append(value)  # known by who it is, such as a default, and with nothing to copy
            return True
        self._count(len(parts or ()))
        return parts is not None and all(self.is_data(part) for part in parts)

    def _keep(self, value: object) -> bool:
        self._kept.add(id(value))
        self.services.append(value)
        return False

    def _count(self, items: int) -> None:
        self._left -= items
        if self._left < 0:
            raise NotProbeable("its arguments are too large to be copied")


def _is_small(array: Any) -> bool:
    if array.nbytes > MAX_ARRAY_BYTES:
        raise NotProbeable("its arguments are too large to be copied")
    return True


def _parts(value: object) -> list[object] | None:
    """What an object of a class in Python holds, slots included; None for one that is not."""
    if type(value) is object:
        return []
    slots = [name for cls in type(value).__mro__ for name in _slots(cls)]
    if not hasattr(value, "__dict__") and not slots:
        return None
    held: dict[str, object] = getattr(value, "__dict__", {})
    return [*held.values(), *(getattr(value, name) for name in slots if name != "__dict__" and hasattr(value, name))]


def _slots(cls: type) -> Iterable[str]:
    slots = cls.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else slots


_ATOMS: Final = frozenset({type(None), bool, int, float, complex, str, bytes, type})
_CONTAINERS: Final = (list, tuple, dict, set, frozenset, deque)
_IMMUTABLE: Final = (str, bytes, int, float, type, Enum)
_IMMUTABLE_MODULES: Final = frozenset(
    {"datetime", "decimal", "fractions", "ipaddress", "pathlib", "re", "uuid", "zoneinfo"}
)
_SERVICES: Final = (
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.ModuleType),
    *(functools.partial, Iterator),
)
