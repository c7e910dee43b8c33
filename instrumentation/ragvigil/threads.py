"""The answer that is being made, taken along into another thread."""

import contextvars
import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def carry(function: Callable[P, R]) -> Callable[P, R]:
    """A plain function that runs with the context variables of here and now, in whichever thread it is called.

    `pool.submit(carry(search), query)` and `pool.map(carry(search), queries)` keep the answer, the stage and the trace,
    which a `ThreadPoolExecutor` or a `Thread` would lose. Every call gets a copy of them, so that several may run at
    once. `asyncio` needs none of this.
    """
    context = contextvars.copy_context()

    @functools.wraps(function)
    def call(*arguments: P.args, **keywords: P.kwargs) -> R:
        return context.copy().run(function, *arguments, **keywords)

    return call
