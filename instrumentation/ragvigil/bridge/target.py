"""The application's own `TracerProvider`: its span processors, its resource, its limits."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from opentelemetry import trace

from ragvigil import attributes as names
from ragvigil.rare import Value
from ragvigil.version import __version__

if TYPE_CHECKING:
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import SpanLimits, SpanProcessor, Tracer, TracerProvider

_UNNAMED: Final = "unknown_service"


@dataclass(frozen=True, slots=True)
class Target:
    """Where finished spans go, and within which limits."""

    processor: "SpanProcessor"
    resource: "Resource"
    limits: "SpanLimits"


def sdk_provider() -> "TracerProvider | None":
    """The global provider, if it is one of the SDK; never loads the SDK, which is there if its provider is."""
    sdk = sys.modules.get("opentelemetry.sdk.trace")
    provider = trace.get_tracer_provider()
    found: TracerProvider | None = provider if sdk and isinstance(provider, sdk.TracerProvider) else None
    return found


class Targets:
    """The target of whatever provider is asked for, with our `resource` over its own; made anew only for another one.

    To ask a provider for a tracer each time would reset the warning filters of the application each time.
    """

    def __init__(self, resource: Mapping[str, Value]) -> None:
        self._resource = resource
        self._provider: TracerProvider | None = None
        self._tracer: object = None
        self._theirs: Resource | None = None
        self._target: Target | None = None

    def of(self, provider: "TracerProvider") -> Target | None:
        """The processors of a provider; None where it is disabled."""
        from opentelemetry.sdk.trace import Tracer  # loaded already, with the provider

        if provider is not self._provider:
            self._provider, self._theirs = provider, None
            self._tracer = provider.get_tracer("ragvigil", __version__)
        tracer = self._tracer
        if not isinstance(tracer, Tracer):
            return None
        if tracer.resource is not self._theirs or self._target is None:
            self._theirs = tracer.resource
            self._target = Target(tracer.span_processor, _merged(tracer.resource, self._resource), _limits(tracer))
        return self._target


def _limits(tracer: "Tracer") -> "SpanLimits":
    from opentelemetry.sdk.trace import SpanLimits

    limits = getattr(tracer, "_span_limits", None)
    return limits if isinstance(limits, SpanLimits) else SpanLimits()


def _merged(theirs: "Resource", ours: Mapping[str, Value]) -> "Resource":
    """Ours over theirs, so that a span says the same on both paths; but a name over none."""
    from opentelemetry.sdk.resources import Resource

    if str(ours.get(names.SERVICE_NAME, _UNNAMED)).startswith(_UNNAMED):
        ours = {key: value for key, value in ours.items() if key not in {names.SERVICE_NAME, names.PROJECT_NAME}}
    return theirs.merge(Resource(dict(ours)))
