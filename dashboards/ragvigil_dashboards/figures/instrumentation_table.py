"""What made the spans of each service, and what they leave out."""

from collections.abc import Iterable, Sequence

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.states import Look, pill
from ragvigil_dashboards.instrumentation_models import Instrumentation, Library
from ragvigil_dashboards.markup import Markup, foreign, table, tag, together

_HEAD = [
    "State",
    "Service",
    "Answers",
    "Searches",
    "Searches: filter unknown",
    "Searches: no documents",
    "Documents without id",
    "Spans made by",
]
_TOLD = Look("✓", "All told", "good", 2)
_GAPS = Look("!", "Gaps", "warn", 1)
_NOTHING = Look("○", "No answers", "calm", 0)
_SHOWN_LIBRARIES = 6
_OWN = "Ragvigil"


def instrumentation_table(services: Sequence[Instrumentation]) -> Markup:
    """One row a service, the one that tells least first."""
    ordered = sorted(services, key=lambda service: (verdict_of(service).rank, -service.answers))
    return table(_HEAD, (_row(service) for service in ordered), right=range(2, 7))


def verdict_of(service: Instrumentation) -> Look:
    """Whether what a service sends tells all that searches are judged by."""
    if service.documents_without_id or service.filters_unknown or service.retrievals_without_documents:
        return _GAPS
    return _TOLD if service.answers else _NOTHING


def made_by(libraries: Iterable[Library], spans: int) -> list[str]:
    """What made the spans, and how many: other libraries, then Ragvigil for the rest."""
    listed = list(libraries)
    said = [f"{_name(each)}: {formats.count(each.spans)}" for each in listed[:_SHOWN_LIBRARIES]]
    if len(listed) > _SHOWN_LIBRARIES:
        said.append(f"{len(listed) - _SHOWN_LIBRARIES} more")
    own = spans - sum(each.spans for each in listed)
    return [*said, f"{_OWN} and unknown libraries: {formats.count(own)}"] if own > 0 else said


def _name(library: Library) -> str:
    return library.library if library.version is None else f"{library.library} {library.version}"


def _row(service: Instrumentation) -> list[str]:
    return [
        pill(verdict_of(service)),
        foreign(service.service, longest=60),
        formats.count(service.answers),
        formats.count(service.retrievals),
        formats.count(service.filters_unknown),
        formats.count(service.retrievals_without_documents),
        formats.count(service.documents_without_id),
        together(tag("div", foreign(each, longest=120)) for each in made_by(service.libraries, service.spans)),
    ]
