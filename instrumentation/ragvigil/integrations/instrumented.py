"""Give one object methods that record, and leave its class and all other objects alone."""

import copyreg
from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache
from typing import Any, Final, Protocol, TypeVar

from ragvigil.guard import GUARD

Function = Callable[..., Any]
T = TypeVar("T")

_PLAIN: Final = "__ragvigil_plain__"
"""Holds the class that an object had before; a dunder name is no private attribute to pydantic."""
_NEW_OBJECT: Final = copyreg.__newobj__  # type: ignore[attr-defined]  # known to the pickle protocol by this name
_MOST_CLASSES: Final = 256


class Adapter(Hashable, Protocol):
    """What is recorded of the methods of a class; equal adapters record the same, and can be pickled."""

    def recording(self, plain: type, name: str) -> Function | None:
        """The method `name` of `plain`, recorded; None where it is not one that searches."""
        ...

    def names(self) -> tuple[str, ...]:
        """Methods that search, in any version of the library."""
        ...


def instrumented(instance: T, adapter: Adapter) -> T:
    """The same object, of a class of its own between it and its class; copies and pickles keep recording.

    An object that was instrumented before is instrumented anew. One that cannot be is left as it is, and that is told.
    """
    plain: Any = getattr(type(instance), _PLAIN, type(instance))
    try:
        object.__setattr__(instance, "__class__", _recording_class(plain, adapter))
    except Exception as problem:  # noqa: BLE001 - a class of any make may refuse, and then nothing is recorded
        GUARD.report(f"{plain.__name__} cannot be instrumented: {problem}")
    return instance


@lru_cache(maxsize=_MOST_CLASSES)
def _recording_class(plain: type, adapter: Adapter) -> type:
    found = {name: adapter.recording(plain, name) for name in adapter.names() if callable(getattr(plain, name, None))}
    methods = {name: method for name, method in found.items() if method is not None}
    if not methods:
        raise TypeError(f"it has none of the methods {', '.join(adapter.names())}")
    return type(plain)(plain.__name__, (plain,), _namespace(plain, methods, adapter))


def _namespace(plain: Any, methods: Mapping[str, Function], adapter: Adapter) -> dict[str, Any]:
    def reduce_ex(self: object, protocol: int) -> Any:
        reduced = plain.__reduce_ex__(self, protocol)
        if not isinstance(reduced, tuple) or reduced[0] is not _NEW_OBJECT:
            return reduced
        return (_rebuilt, (adapter, plain, *reduced[1][1:]), *reduced[2:])

    told = {"__module__": plain.__module__, "__qualname__": plain.__qualname__, "__doc__": plain.__doc__}
    return {**told, **methods, _PLAIN: plain, "__reduce_ex__": reduce_ex}


def _rebuilt(adapter: Adapter, plain: type[T], *arguments: Any) -> T:
    return instrumented(plain.__new__(plain, *arguments), adapter)
