"""Spans around generators, which must not leave the span current in whoever consumes them.

The body runs in a `contextvars` context of its own, entered for each step only. So what is current inside (also a
`with stage(...)` around a `yield`) stays inside, over all steps, and closes properly wherever the last step runs.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextvars import Context, copy_context
from typing import Any, Final, TypeVar

from ragvigil.guard import GUARD
from ragvigil.observation import Arguments, Keywords, Observation

T = TypeVar("T")

MAX_TEXT: Final = 1_000_000
"""Characters of streamed text that are kept for one span."""


class Stream:
    """The span of one running generator and the context that its body runs in."""

    def __init__(self, observation: Observation, arguments: Arguments, keywords: Keywords) -> None:
        self._context: Context = copy_context()
        self._observation = observation
        self._span = observation.begin(arguments, keywords)
        self._parts: list[str] = []
        self._context.run(self._span.__enter__)
        self._length = 0 if self._span.is_recording() else MAX_TEXT
        self._span.tell_rest = self._tell_text

    def run(self, function: Callable[..., T], *arguments: Any, **keywords: Any) -> T:
        """Call `function` in the body's context."""
        return self._context.run(function, *arguments, **keywords)

    async def wait(self, awaitable: Awaitable[T]) -> T:
        """Await in the body's context."""
        return await _InContext(self._context, awaitable)

    def passing(self, item: T) -> T:
        """Note an item on its way to the consumer."""
        with GUARD:
            self._span.first_token()
            if isinstance(item, str) and self._length < MAX_TEXT:
                self._parts.append(item)
                self._length += len(item)
        return item

    def _tell_text(self) -> None:
        if self._parts:
            self._observation.finish(self._span, "".join(self._parts))

    def finish(self, failure: BaseException | None) -> None:
        """End the span, however the generator ended."""
        self._span.tell_rest = None
        self._tell_text()
        self.run(self._span.__exit__, None if failure is None else type(failure), failure, None)


def wrap_generator(
    function: Callable[..., Generator[Any, Any, Any]], observation: Observation
) -> Callable[..., Generator[Any, Any, Any]]:
    """A generator function whose every run is one span, from its first step to its end."""

    def call(*arguments: Any, **keywords: Any) -> Generator[Any, Any, Any]:
        running = Stream(observation, arguments, keywords)
        failure: BaseException | None = None
        try:
            inner = running.run(function, *arguments, **keywords)
            item = running.run(next, inner)
            while True:
                try:
                    sent = yield running.passing(item)
                except GeneratorExit:
                    running.run(inner.close)
                    raise
                except BaseException as thrown:  # noqa: BLE001 - handed to the generator, which decides
                    item = running.run(inner.throw, thrown)
                else:
                    item = running.run(inner.send, sent)
        except StopIteration as stop:
            return stop.value
        except BaseException as escaped:
            failure = escaped
            raise
        finally:
            running.finish(failure)

    return call


def wrap_async_generator(
    function: Callable[..., AsyncGenerator[Any, Any]], observation: Observation
) -> Callable[..., AsyncGenerator[Any, Any]]:
    """An async generator function whose every run is one span, from its first step to its end."""

    async def call(*arguments: Any, **keywords: Any) -> AsyncGenerator[Any, Any]:
        running = Stream(observation, arguments, keywords)
        failure: BaseException | None = None
        try:
            inner = running.run(function, *arguments, **keywords)
            item = await running.wait(anext(inner))
            while True:
                try:
                    sent = yield running.passing(item)
                except GeneratorExit:
                    await running.wait(inner.aclose())
                    raise
                except BaseException as thrown:  # noqa: BLE001 - handed to the generator, which decides
                    item = await running.wait(inner.athrow(thrown))
                else:
                    item = await running.wait(inner.asend(sent))
        except StopAsyncIteration:
            return
        except BaseException as escaped:
            failure = escaped
            raise
        finally:
            running.finish(failure)

    return call


class _InContext(Awaitable[T]):
    """Awaits something with every step of it run in a given context; the event loop notices nothing."""

    def __init__(self, context: Context, awaitable: Awaitable[T]) -> None:
        self._context = context
        self._awaitable = awaitable

    def __await__(self) -> Generator[Any, Any, T]:
        steps: Any = self._awaitable.__await__()
        advance, value = steps.send, None
        while True:
            try:
                waiting = self._context.run(advance, value)
            except StopIteration as done:
                result: T = done.value
                return result
            try:
                advance, value = steps.send, (yield waiting)
            except BaseException as thrown:  # noqa: BLE001 - handed inwards, which decides
                advance, value = steps.throw, thrown
