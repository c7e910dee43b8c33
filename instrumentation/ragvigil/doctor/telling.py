"""How much a service tells about itself, from what the monitor has stored of it."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from ragvigil.doctor.finding import Finding, ok, warning
from ragvigil.doctor.monitor_api import number, rows

_MOST_FIELDS: Final = 10
_MOST_LIBRARIES: Final = 10


def check_completeness(processes: list[dict[str, Any]], service: str | None) -> Iterator[Finding]:
    """How much is stored of what the processes of each service began."""
    names = sorted({str(row.get("service")) for row in processes if service in {None, row.get("service")}})
    for name in names:
        yield _completeness(name, [row for row in processes if row.get("service") == name])


def _completeness(service: str, processes: list[dict[str, Any]]) -> Finding:
    check = f"service {service}"
    counted = [row for row in processes if row.get("share") is not None]
    if not counted:
        return warning(check, "no process of it reports counts", "it is not Ragvigil's, or has not run for a minute")
    started, stored, lost = [sum(number(row, name) for row in counted) for name in ("started", "stored", "dropped")]
    detail = f"{stored} of {started} spans of {len(counted)} processes are stored, {lost} were lost in them"
    if lost or stored < started:
        return warning(check, detail, "print ragvigil.diagnosis() there; some may still be on their way")
    return ok(check, detail)


def check_service(row: dict[str, Any]) -> Iterator[Finding]:
    """What a row of `/instrumentation` shows to be missing."""
    for look in _LOOKS:
        yield from look(f"service {row.get('service')}", row)


def _answers(check: str, row: dict[str, Any]) -> Iterator[Finding]:
    answers, mute = number(row, "answers"), number(row, "answers_without_question")
    if not answers:
        yield warning(check, "sends spans and no answers", "mark where an answer begins: @pipeline or AnswerMiddleware")
    elif mute:
        yield warning(check, f"{mute} of {answers} answers have no question", "call answer.set(question=...)")
    else:
        yield ok(check, f"{answers} answers in the last 24 h")


def _searches(check: str, row: dict[str, Any]) -> Iterator[Finding]:
    searches, unknown = number(row, "retrievals"), number(row, "filters_unknown")
    empty, nameless = number(row, "retrievals_without_documents"), number(row, "retrievals_without_ids")
    if not searches:
        yield warning(check, "records no retrieval", "decorate the search with @retriever, or use an adapter")
    if unknown:
        advice = "name filter= on @retriever (None says that there is none), or pass filters that can be read"
        yield warning(check, f"the filter of {unknown} of {searches} searches is unknown", advice)
    if empty:
        yield warning(check, f"{empty} of {searches} searches record no documents", "pass documents= to @retriever")
    if searches and not unknown and not empty and not nameless:
        yield ok(check, f"{searches} searches with their filters and documents")


def _documents(check: str, row: dict[str, Any]) -> Iterator[Finding]:
    nameless, searches = number(row, "documents_without_id"), number(row, "retrievals_without_ids")
    if nameless:
        advice = "give the documents ids in the store that is searched; without them nobody can follow one"
        said = f", and {searches} of the searches found no others" if searches else ""
        yield warning(check, f"{nameless} retrieved documents have no id{said}", advice)


def _libraries(check: str, row: dict[str, Any]) -> Iterator[Finding]:
    made = [
        f"{library.get('library')} {library.get('version') or ''}".rstrip() for library in rows(row.get("libraries"))
    ]
    if made:
        yield ok(check, f"spans made by {', '.join(made[:_MOST_LIBRARIES])}")


def _roles(check: str, row: dict[str, Any]) -> Iterator[Finding]:
    fields = [f"{field.get('field')} ({field.get('searches')})" for field in rows(row.get("undeclared_fields"))]
    if fields:
        advice = (
            "declare it by entitlement(...), relevance(...), or relevance=(...) on @retriever; it counts as entitlement"
        )
        yield warning(check, f"no role is declared for the filter fields {', '.join(fields[:_MOST_FIELDS])}", advice)


def _attributes(check: str, row: dict[str, Any]) -> Iterator[Finding]:
    dropped = number(row, "spans_with_dropped_attributes")
    if dropped:
        yield warning(
            check, f"{dropped} spans lost attributes", "the log of the application names the facts it refused"
        )


_LOOKS: Final[tuple[Callable[[str, dict[str, Any]], Iterator[Finding]], ...]] = (
    _answers,
    _searches,
    _documents,
    _roles,
    _attributes,
    _libraries,
)
