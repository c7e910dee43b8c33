"""Put a span around a function of any kind: plain, async, generator or async generator."""

import functools
import inspect
from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar, cast

from ragvigil.observation import Observation
from ragvigil.streams import wrap_async_generator, wrap_generator

P = ParamSpec("P")
R = TypeVar("R")


def wrap(function: Callable[P, R], observation: Observation) -> Callable[P, R]:
    """`function` with a new span around each call; signature, result and exceptions stay what they are."""
    wrapped = functools.wraps(function)(_wrapper_for(function)(function, observation))
    return cast("Callable[P, R]", wrapped)


def _wrapper_for(function: Callable[..., Any]) -> Callable[[Any, Observation], Callable[..., Any]]:
    body = _body(function)
    if inspect.isasyncgenfunction(body):
        return wrap_async_generator
    if inspect.isgeneratorfunction(body):
        return wrap_generator
    return _wrap_async if inspect.iscoroutinefunction(body) else _wrap_plain


def is_async(function: Callable[..., Any]) -> bool:
    """Whether calls of it must be awaited."""
    return inspect.iscoroutinefunction(_body(function))


def _body(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that runs: below `functools.partial`, or the `__call__` of an object."""
    while isinstance(function, functools.partial):
        function = function.func
    return function if inspect.isroutine(function) else getattr(type(function), "__call__", function)  # noqa: B004


def _wrap_plain(function: Callable[..., R], observation: Observation) -> Callable[..., R]:
    def call(*arguments: Any, **keywords: Any) -> R:
        with observation.begin(arguments, keywords) as span:
            follow_up = observation.prepare(span, arguments, keywords)
            result = function(*arguments, **keywords)
            observation.finish_call(span, result, follow_up)
            return result

    return call


def _wrap_async(function: Callable[..., Awaitable[R]], observation: Observation) -> Callable[..., Awaitable[R]]:
    async def call(*arguments: Any, **keywords: Any) -> R:
        with observation.begin(arguments, keywords) as span:
            follow_up = observation.prepare(span, arguments, keywords)
            result = await function(*arguments, **keywords)
            observation.finish_call(span, result, follow_up)
            return result

    return call
