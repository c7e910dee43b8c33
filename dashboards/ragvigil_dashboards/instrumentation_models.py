"""What the API says of how applications are instrumented."""

from ragvigil_dashboards.models import Read


class Library(Read):
    """An instrumentation library other than Ragvigil."""

    library: str
    version: str | None
    spans: int


class Instrumentation(Read):
    """What one service tells about itself."""

    service: str
    answers: int
    spans: int
    retrievals: int
    retrievals_without_documents: int
    documents_without_id: int
    filters_unknown: int
    libraries: list[Library]
