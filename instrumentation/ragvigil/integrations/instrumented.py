"""Give one object methods that record, and leave its class and all other objects alone."""

from collections.abc import Callable, Hashable, Mapping
from functools import lru_cache, wraps
from typing import Any, Final, Protocol, TypeVar

from ragvigil.guard import GUARD
from ragvigil.wrapping import is_async

Function = Callable[..., Any]
T = TypeVar("T")

_PLAIN: Final = "__ragvigil_plain__"
"""Holds the class that an object had before; a dunder name is no private attribute to pydantic."""
_MOST_CLASSES: Final = 256


class Adapter(Hashable, Protocol):
    """What is recorded of the methods of a class; equal adapters record the same, and can be pickled."""

    def recording(self, plain: type, name: str) -> Function | None:
        """The method `name` of `plain`, found by `late`, recorded; None where it is not one that searches."""
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
        methods = tuple([getattr(plain, name, None) for name in adapter.names()])
        object.__setattr__(instance, "__class__", _recording_class(plain, adapter, methods))
    except Exception as problem:  # noqa: BLE001 - a class of any make may refuse, and then nothing is recorded
        GUARD.report(f"{plain.__name__} cannot be instrumented: {problem}")
    return instance


def late(plain: type, name: str) -> Function:
    """The method `name` of `plain`, looked up when it is called: whoever patches the class later is heard."""
    method: Function = getattr(plain, name)

    def call(*arguments: Any, **keywords: Any) -> Any:
        return getattr(plain, name)(*arguments, **keywords)

    async def call_async(*arguments: Any, **keywords: Any) -> Any:
        return await getattr(plain, name)(*arguments, **keywords)

    return wraps(method)(call_async if is_async(method) else call)


@lru_cache(maxsize=_MOST_CLASSES)
def _recording_class(plain: type, adapter: Adapter, _methods: tuple[object, ...]) -> type:
    """Made anew where the methods were patched since, for then their parameters may be others."""
    found = {name: adapter.recording(plain, name) for name in adapter.names() if callable(getattr(plain, name, None))}
    methods = {name: method for name, method in found.items() if method is not None}
    if not methods:
        raise TypeError(f"it has none of the methods {', '.join(adapter.names())}")
    return type(plain)(plain.__name__, (plain,), _namespace(plain, methods, adapter))


def _namespace(plain: Any, methods: Mapping[str, Function], adapter: Adapter) -> dict[str, Any]:
    def reduce_ex(self: object, protocol: int) -> Any:
        reduced = plain.__reduce_ex__(self, protocol)
        if not isinstance(reduced, tuple):
            return reduced
        make, arguments, *rest = reduced
        if not any(part is type(self) for part in (make, *arguments[:1])):
            return reduced
        parts = [plain if part is type(self) else part for part in (make, *arguments)]
        return (_rebuilt, (adapter, *parts), *rest)

    told = {"__module__": plain.__module__, "__qualname__": plain.__qualname__, "__doc__": plain.__doc__}
    return {**told, **methods, _PLAIN: plain, "__reduce_ex__": reduce_ex}


def _rebuilt(adapter: Adapter, make: Callable[..., T], *arguments: Any) -> T:
    return instrumented(make(*arguments), adapter)
