"""Where it is kept, among the attributes of a span, how it was made by another instrumentation."""

from typing import Final

SCOPE_NAME: Final = "otel.scope.name"
"""string: the instrumentation library. Only on spans that were read by a convention of others."""
SCOPE_VERSION: Final = "otel.scope.version"
"""string: its version."""
PARENT_IS_REMOTE: Final = "otel.parent.is_remote"
"""true: the parent ran in another process, so the span is where a request entered this one."""
ENTRY_KIND: Final = "otel.span.kind"
"""string: SERVER or CONSUMER, on spans that answer a request and are of no kind that a convention knows."""
DOCUMENTS_WITHOUT_ID: Final = "otel.documents_without_id"
"""int: how many documents a search returned of which nobody knows the id."""
QUERY_VECTOR: Final = "otel.query_vector"
"""`norm` and `unit_f16` (base64) of an embedded text, until it is known whether it is a query; then its `dimension`."""
EVENTS: Final = "otel.events"
"""Where the events of a span are kept among its attributes."""
