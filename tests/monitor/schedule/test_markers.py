"""What was new, and when: releases, models, indices and the like."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from tests.samples.answered import insert_answers

from ragvigil import attributes as names
from ragvigil_monitor.judges.lexical import Lexical
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.migrate import migrate, migrations

AddSpan = Callable[..., None]
Seen = list[tuple[str, str, float]]
MONDAY = datetime(2026, 6, 1, tzinfo=UTC)
MARKERS = next(each.number for each in migrations() if each.name == "markers")


@pytest.fixture
def service(make_service: Callable[..., Service]) -> Service:
    off = {"enabled": False}
    return make_service(guardrails={"regeneration_rate": off, "query_drift": off}, judge={"share": 1.0})


@pytest.fixture
def add_span(memory_store: Store, monday: datetime) -> AddSpan:
    """Adds one span `after_h` hours after Monday; what is left out is NULL."""
    given = 0

    def add(after_h: float, *, facts: object = None, **columns: object) -> None:
        nonlocal given
        given += 1
        row = {
            "trace_id": given.to_bytes(16),
            "span_id": given.to_bytes(8),
            "started_at": (monday + timedelta(hours=after_h)).replace(tzinfo=None),
            "service": "shop",
            "name": "span",
            "status": "ok",
            "dropped_attributes": 0,
            "attributes": None if facts is None else json.dumps(facts),
            **columns,
        }
        with memory_store.transaction() as writer:
            writer.execute_with("insert_spans", pa.Table.from_pylist([row]))

    return add


@pytest.fixture
def noted(service: Service, monday: datetime) -> Callable[[float], Seen]:
    """Runs what is due, then reads every marker that is not the first of its kind."""

    def read(after_h: float) -> Seen:
        run_due(service, monday + timedelta(hours=after_h))
        assert service.store.rows("job_problems_now") == []
        return between(service.store, monday, -1000, 1000)

    return read


def between(store: Store, monday: datetime, start_h: float, end_h: float) -> Seen:
    span = {"earliest": monday + timedelta(hours=start_h), "latest": monday + timedelta(hours=end_h)}
    rows = store.rows("markers_between", **span)
    return [(row["kind"], row["value"], (row["first_seen_at"] - monday) / timedelta(hours=1)) for row in rows]


def first_seen(store: Store) -> dict[str, datetime]:
    return {row["service_version"]: row["first_seen_at"] for row in store.rows("releases_newest", limit=50)}


def test_a_release_is_noted_when_it_is_first_seen(
    service: Service, add_span: AddSpan, noted: Callable[[float], Seen], monday: datetime
) -> None:
    add_span(1, service_version="1.0")
    add_span(2.5, service_version="1.1")
    add_span(2.5)
    assert noted(3) == [("release", "1.1", 2.5)]
    add_span(4, service_version="1.1")
    add_span(4.5, service_version="1.0")
    assert noted(5) == [("release", "1.1", 2.5)]
    assert first_seen(service.store) == {"1.0": monday + timedelta(hours=1), "1.1": monday + timedelta(hours=2.5)}


def test_a_span_that_comes_late_moves_its_marker_back(
    service: Service, add_span: AddSpan, noted: Callable[[float], Seen], monday: datetime
) -> None:
    add_span(3, service_version="1.1")
    noted(3.1)
    add_span(2.5, service_version="1.1")
    noted(3.3)
    assert first_seen(service.store) == {"1.1": monday + timedelta(hours=2.5)}


CHANGES = {
    "the model that the provider reports": (
        {"stage": "generate", "model": "large", "facts": {names.RESPONSE_MODEL: "large-2026-01"}},
        {"stage": "generate", "model": "large", "facts": {names.RESPONSE_MODEL: "large-2026-09"}},
        ("model", "large-2026-09"),
    ),
    "the model that is asked for": (
        {"stage": "generate", "model": "large"},
        {"stage": "generate", "model": "small"},
        ("model", "small"),
    ),
    "the model of a span that names no stage": (
        {"kind": "LLM", "model": "large"},
        {"kind": "LLM", "model": "small"},
        ("model", "small"),
    ),
    "the model of queries": (
        {"stage": "embed", "model": "mini-3"},
        {"stage": "embed", "model": "mini-4"},
        ("embedding model", "mini-4"),
    ),
    "the index": (
        {"facts": {names.INDEX_VERSION: "monday"}},
        {"facts": {names.INDEX_VERSION: "friday"}},
        ("index", "friday"),
    ),
    "the encoder of the index": (
        {"facts": {names.EMBEDDING_VERSION: "mini-3"}},
        {"facts": {names.EMBEDDING_VERSION: "mini-4"}},
        ("embedding", "mini-4"),
    ),
    "the filter extractor": (
        {"facts": {names.FILTER_EXTRACTOR_NAME: "rules", names.FILTER_EXTRACTOR_VERSION: "7"}},
        {"facts": {names.FILTER_EXTRACTOR_NAME: "rules", names.FILTER_EXTRACTOR_VERSION: "8"}},
        ("filter extractor", "rules 8"),
    ),
}


@pytest.mark.parametrize(("before", "after", "expected"), CHANGES.values(), ids=CHANGES)
def test_what_an_application_works_with_is_a_marker_when_it_changes(
    add_span: AddSpan,
    noted: Callable[[float], Seen],
    before: dict[str, object],
    after: dict[str, object],
    expected: tuple[str, str],
) -> None:
    add_span(1, **before)
    assert noted(2) == []
    add_span(9, **after)
    assert noted(10) == [(*expected, 9.0)]
    add_span(11, **before)
    assert noted(12) == [(*expected, 9.0)]


@pytest.mark.parametrize(
    "span",
    [
        {"stage": "generate", "model": "fallback", "status": "error"},
        {"stage": "rerank", "model": "cross-encoder"},
        {"stage": "rewrite", "kind": "LLM", "model": "tiny"},
        {"facts": {names.INDEX_VERSION: "probed"}, "probe_id": "a-b"},
        {"facts": {names.INDEX_VERSION: ""}},
        {"facts": {names.INDEX_VERSION: None}},
        {"facts": [1, 2]},
        {"facts": "text"},
    ],
    ids=["failed", "reranker", "rewriter", "probe", "empty", "null", "array", "string"],
)
def test_what_says_nothing_of_the_answers_is_no_marker(
    add_span: AddSpan, noted: Callable[[float], Seen], span: dict[str, object]
) -> None:
    add_span(1, stage="generate", model="large")
    add_span(1, facts={names.INDEX_VERSION: "monday"})
    add_span(9, **span)
    assert noted(10) == []


def test_services_do_not_explain_each_other(add_span: AddSpan, noted: Callable[[float], Seen]) -> None:
    """The first version of a second service is not new, only first."""
    add_span(1, service_version="1.0")
    add_span(9, service_version="1.0", service="blog")
    add_span(9.5, service_version="2.0", service="blog")
    assert noted(10) == []
    add_span(12, service_version="3.0", service="blog")
    assert noted(13) == [("release", "3.0", 12.0)]


def test_a_value_that_is_new_with_every_request_does_not_fill_the_store(
    service: Service, add_span: AddSpan, noted: Callable[[float], Seen], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragvigil_monitor.upkeep.MOST_VALUES", 5)
    for start_h in (1, 4):
        for number in range(20):
            add_span(start_h + number / 100, facts={names.INDEX_VERSION: f"{start_h} {number}" + "x" * 1000})
        add_span(start_h, service_version=f"{start_h}.0")
        noted(start_h + 0.5)
    values = service.store._cursor().execute("SELECT value FROM markers WHERE kind = 'index'").fetchall()
    assert 0 < len(values) <= 5
    assert {len(value) for (value,) in values} == {200}
    assert between(service.store, MONDAY, 2, 9) == [("release", "4.0", 4.0)]
    add_span(28, facts={names.INDEX_VERSION: "a version at last"})
    assert ("index", "a version at last", 28.0) in noted(28.5)


def test_releases_that_were_stored_before_are_markers_now(tmp_path: Path) -> None:
    """The job goes on where it stopped instead of reading its whole history again."""
    path, at = tmp_path / "old.duckdb", datetime(2026, 5, 1)  # noqa: DTZ001 - as the database holds it
    with duckdb.connect(str(path)) as old:
        migrate(old, [each for each in migrations() if each.number < MARKERS])
        old.execute("INSERT INTO releases VALUES ('shop', '1.0', ?), ('shop', '1.1', ?)", [at, at + timedelta(days=2)])
        old.execute("INSERT INTO job_watermarks VALUES ('releases', ?)", [at + timedelta(days=3)])
    store = Store.open(path)
    assert [(kind, value) for kind, value, _ in between(store, MONDAY, -2000, 0)] == [("release", "1.1")]
    (done,) = store.rows("watermark_of_job", job="markers")
    assert done["done_up_to"].day == 4
    assert list(first_seen(store)) == ["1.1", "1.0"]
    store.close()


@pytest.mark.parametrize("pause_h", [1, 30], ids=["at once", "after a pause"])
def test_a_new_judge_is_a_marker_of_what_it_measures(
    memory_store: Store,
    noted: Callable[[float], Seen],
    monday: datetime,
    monkeypatch: pytest.MonkeyPatch,
    pause_h: int,
) -> None:
    insert_answers(memory_store, monday, hours=12)
    assert noted(6.5) == []
    monkeypatch.setattr(Lexical, "version", "2")
    ((kind, value, after_h),) = noted(6.5 + pause_h)
    assert (kind, value, round(after_h, 3)) == ("measurement", "lexical 2", 5.083)
