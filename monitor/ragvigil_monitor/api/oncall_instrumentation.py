"""How well applications are instrumented, for `ragvigil doctor` and whoever wonders where telemetry stays."""

from collections import Counter, defaultdict
from datetime import datetime, timedelta
from typing import Annotated, Final

from fastapi import APIRouter, Query

from ragvigil.predicates import Filter
from ragvigil.predicates.ast import PredicateError
from ragvigil.predicates.codec import from_json, labels_from_json
from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.instrumentation_models import Arrival, Instrumentation, Library, UndeclaredField
from ragvigil_monitor.api.oncall_answers import trace_bytes
from ragvigil_monitor.hour_sums import segments
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.database import Row

router = APIRouter()

_MOST_SERVICES: Final = 100
_FILTERS_READ: Final = 500
_MOST_FIELDS: Final = 50
_MOST_LIBRARIES: Final = 50
_NEAR: Final = timedelta(days=1)
_AHEAD: Final = timedelta(hours=1)
"""How far the clock of a sender may run ahead."""


@router.get("/arrivals/{trace_id}")
def arrival(service: ServiceDep, trace_id: str) -> Arrival:
    """What arrived of a trace that started within a day of now: its spans of any kind, probes and tests included."""
    now = service.clock()
    found = service.store.row("arrival_of_trace", trace_id=trace_bytes(trace_id), start=now - _NEAR, end=now + _NEAR)
    return Arrival(trace_id=trace_id.lower(), **found)


@router.get("/instrumentation")
def instrumentation(
    service: ServiceDep,
    name: Annotated[str | None, Query(alias="service", max_length=200)] = None,
    hours: Annotated[int, Query(ge=1, le=24 * 31)] = 24,
) -> list[Instrumentation]:
    """What each service told in the last hours, the one with most answers first."""
    now = service.clock()
    since = now - timedelta(hours=hours)
    rows = _telling(service.store, since, now + _AHEAD, name)
    filters = _filters(service.store.rows("filters_newest", since=since, service=name, limit=_FILTERS_READ))
    libraries = _libraries(service.store, since, now + _AHEAD, name)
    nameless = _nameless(service.store, rows, since, now + _AHEAD)
    return [
        _instrumentation(_told_apart(row, nameless[row["service"]]), filters[row["service"]], libraries[row["service"]])
        for row in rows
    ]


def _telling(store: Store, start: datetime, end: datetime, service: str | None) -> list[Row]:
    """The counts of each service, those with most answers first."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for each in segments(store, start, end):
        question = "telling_summed" if each.is_summed else "telling_raw"
        for row in store.rows(question, start=each.start, end=each.end, service=service):
            counts[row.pop("service")].update(row)
    most_first = sorted(counts.items(), key=lambda each: (-each[1]["answers"], each[0]))
    return [{"service": name, **found} for name, found in most_first[:_MOST_SERVICES]]


def _nameless(store: Store, rows: list[Row], start: datetime, end: datetime) -> Counter[str]:
    """How many searches of each service found documents without any id; spans are read only where there may be some."""
    asked = [row["service"] for row in rows if row["documents_without_id"] and row["retrievals_without_documents"]]
    found: Counter[str] = Counter()
    for name in asked:
        for row in store.rows("retrievals_of_nameless_documents", start=start, end=end, service=name):
            found[row["service"]] = row["retrievals"]
    return found


def _told_apart(row: Row, nameless: int) -> Row:
    """Searches that recorded documents, only without ids, are none without documents."""
    of_these = min(nameless, row["retrievals_without_documents"])
    return {
        **row,
        "retrievals_without_documents": row["retrievals_without_documents"] - of_these,
        "retrievals_without_ids": of_these,
    }


def _libraries(store: Store, start: datetime, end: datetime, service: str | None) -> defaultdict[str, list[Library]]:
    """The libraries other than Ragvigil that made the spans of each service, those with most spans first."""
    spans: Counter[tuple[str, str, str | None]] = Counter()
    for each in segments(store, start, end):
        question = "libraries_summed" if each.is_summed else "libraries_raw"
        for row in store.rows(question, start=each.start, end=each.end, service=service):
            spans[row["service"], row["library"], row["version"]] += row["spans"]
    found: defaultdict[str, list[Library]] = defaultdict(list)
    for (name, library, version), number in sorted(spans.items(), key=lambda each: (-each[1], each[0][:2])):
        if len(found[name]) < _MOST_LIBRARIES:
            found[name].append(Library(library=library, version=version, spans=number))
    return found


def _instrumentation(row: Row, filters: list[Filter], libraries: list[Library]) -> Instrumentation:
    understood = row["filters_known"] + row["filters_none"] + row["filters_partial"]
    undeclared = Counter(field for said in filters for field in said.undeclared_fields())
    return Instrumentation(
        **row,
        filters_unknown=row["retrievals"] - understood,
        filters_read=len(filters),
        undeclared_fields=[
            UndeclaredField(field=field, searches=searches) for field, searches in undeclared.most_common(_MOST_FIELDS)
        ],
        libraries=libraries,
    )


def _filters(rows: list[Row]) -> defaultdict[str, list[Filter]]:
    """The filters that can be read, by service."""
    found: defaultdict[str, list[Filter]] = defaultdict(list)
    for row in rows:
        try:
            said = Filter(from_json(row["filter_ast"]), labels_from_json(row["filter_clauses"] or "[]"))
        except PredicateError:
            continue
        found[row["service"]].append(said)
    return found
