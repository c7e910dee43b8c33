"""What the API answers about how well applications are instrumented."""

from datetime import datetime

from ragvigil_monitor.api.models import ApiModel


class Arrival(ApiModel):
    """What is stored of a trace; first_started_at is None where nothing is."""

    trace_id: str
    spans: int
    first_started_at: datetime | None


class UndeclaredField(ApiModel):
    """A field of filters that nobody gave a role: it counts as entitlement. searches: how many of the sample had it."""

    field: str
    searches: int


class Library(ApiModel):
    """An instrumentation library other than Ragvigil; version is None where it names none."""

    library: str
    version: str | None
    spans: int


class Instrumentation(ApiModel):
    """What one service told about itself in the time asked for; probes are left out.

    filters_unknown: searches of which nobody knows what they were restricted to. undeclared_fields come from the newest
    `filters_read` filters that could be read. retrievals_without_documents: searches that recorded no list of
    documents. retrievals_without_ids: those that recorded documents of which none has an id, as far as their spans are
    kept. documents_without_id: of the documents that were found, as far as their number is known. libraries: what else
    than Ragvigil made the spans, the one with most first.
    """

    service: str
    answers: int
    answers_without_question: int
    answers_without_text: int
    spans: int
    spans_with_dropped_attributes: int
    retrievals: int
    retrievals_without_documents: int
    retrievals_without_ids: int
    documents_without_id: int
    filters_known: int
    filters_none: int
    filters_partial: int
    filters_unknown: int
    filters_read: int
    undeclared_fields: list[UndeclaredField]
    libraries: list[Library]
