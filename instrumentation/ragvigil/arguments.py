"""Find one argument in the calls of a function, without the cost of binding them all."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, Final

from ragvigil.guard import GUARD

MISSING: Final = object()
"""An argument that a call does not have."""


class Argument:
    """The argument `name` of `function`, wherever it stands in a call; its default where it is left out."""

    __slots__ = ("_default", "_name", "_position")

    def __init__(self, function: Callable[..., object], name: str) -> None:
        self._name = name
        self._position: int | None = None
        self._default: object = MISSING
        with GUARD:
            self._look_up(inspect.signature(function), getattr(function, "__qualname__", "the function"))

    def of(self, arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> object:
        """Its value in one call, or MISSING."""
        if self._name in keywords:
            return keywords[self._name]
        if self._position is not None and self._position < len(arguments):
            return arguments[self._position]
        return self._default

    def _look_up(self, signature: inspect.Signature, function: str) -> None:
        found = signature.parameters.get(self._name)
        if found is None:
            if not any(p.kind is p.VAR_KEYWORD for p in signature.parameters.values()):
                GUARD.report(f"{function} has no argument named {self._name!r}")
            return
        if found.kind is not found.KEYWORD_ONLY:
            self._position = list(signature.parameters).index(self._name)
        if found.default is not found.empty:
            self._default = found.default


def first_text(arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> str | None:
    """The first argument of a call that is text."""
    return next((value for value in (*arguments, *keywords.values()) if isinstance(value, str)), None)
