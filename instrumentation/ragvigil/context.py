"""Which span is current, for OpenTelemetry and for us."""

from contextvars import ContextVar, Token
from typing import TYPE_CHECKING, Final, cast

from opentelemetry import context as api
from opentelemetry.context import Context
from opentelemetry.trace import INVALID_SPAN, set_span_in_context

if TYPE_CHECKING:
    from ragvigil.span import RecordedSpan

# The API does not publish its key; it is learned once, so that both entries go into one new context.
CURRENT_SPAN: Final = next(iter(set_span_in_context(INVALID_SPAN, Context())))
"""Key of OpenTelemetry's current span."""
CURRENT_RECORDED: Final = api.create_key("ragvigil-current-span")
"""Key of the innermost span of ours; spans of other instrumentation may lie below it."""


def nearest(context: Context) -> "RecordedSpan | None":
    """The innermost span of ours in a context."""
    return cast("RecordedSpan | None", context.get(CURRENT_RECORDED))


def attach(span: "RecordedSpan", context: Context) -> Token[Context]:
    """Make `span` the current one of a context, also for the spans of other instrumentation."""
    entries = context.copy()
    entries[CURRENT_SPAN] = entries[CURRENT_RECORDED] = span
    return _attach(Context(entries))


def attach_left_out(span: "RecordedSpan", context: Context) -> Token[Context]:
    """Have all of ours below `span` left out too; for others nothing changes."""
    return _attach(Context({**context, CURRENT_RECORDED: span}))


def is_left_out(context: Context) -> bool:
    """Whether all that begins there is left out."""
    nearest = context.get(CURRENT_RECORDED)
    return nearest is not None and getattr(nearest, "trace", None) is None


def detach(token: Token[Context]) -> None:
    """Make the span before current again.

    A block that was entered in another context (a generator that moved between tasks) has nothing to restore here.
    """
    try:
        _detach(token)
    except ValueError:
        return


def _variable() -> "ContextVar[Context] | None":
    """Where OpenTelemetry keeps its context; None where another implementation of contexts is configured."""
    token = api.attach(api.get_current())
    api.detach(token)
    variable = getattr(token, "var", None)
    return variable if isinstance(variable, ContextVar) else None


# The functions of the API around the variable cost more than to read and set it.
_own = _variable()
_attach = api.attach if _own is None else _own.set
_detach = api.detach if _own is None else _own.reset
get_current: Final = api.get_current if _own is None else _own.get
"""The context of this thread or task."""
