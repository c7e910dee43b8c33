"""The index that a process searches, said once."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil.testing import InMemoryExporter, SpanSnapshot

Exported = Callable[[], InMemoryExporter]
COMMITTED_AT = datetime(2026, 6, 1, tzinfo=UTC)


def said(span: SpanSnapshot) -> list[object]:
    return [
        span.attributes.get(key) for key in (names.INDEX_VERSION, names.INDEX_COMMITTED_AT, names.EMBEDDING_VERSION)
    ]


def search(name: str = "retrieve", **facts: Any) -> None:
    with ragvigil.pipeline("ask"), ragvigil.stage(name) as s:
        s.set(**facts)


def test_every_retrieval_bears_it_and_nothing_else_does(exported: Exported) -> None:
    ragvigil.mark_index("7", committed_at=COMMITTED_AT, embedding_version="mini-3")
    search()
    search("rerank")
    found = exported()
    assert said(found.one("retrieve")) == ["7", "2026-06-01T00:00:00+00:00", "mini-3"]
    assert said(found.one("rerank")) == said(found.named("ask")[0]) == [None] * 3


def test_a_retrieval_that_names_its_index_takes_nothing_of_another(exported: Exported) -> None:
    ragvigil.mark_index("7", committed_at=COMMITTED_AT, embedding_version="mini-3")
    search(index_version="web-2")
    search(index_version=None, embedding_version="own")
    first, second = exported().named("retrieve")
    assert said(first) == ["web-2", None, None]
    assert said(second) == ["7", "2026-06-01T00:00:00+00:00", "own"]


def test_an_answer_keeps_the_index_that_it_began_with(exported: Exported) -> None:
    ragvigil.mark_index("7", committed_at=COMMITTED_AT)
    with ragvigil.pipeline("ask"):
        ragvigil.mark_index("8")
        with ragvigil.stage("retrieve"):
            pass
    search()
    first, second = exported().named("retrieve")
    assert said(first) == ["7", "2026-06-01T00:00:00+00:00", None]
    assert said(second) == ["8", None, None]


def test_it_may_be_said_before_configure_and_ends_with_none() -> None:
    ragvigil.mark_index("7")
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter)
    search()
    ragvigil.mark_index(None)
    search()
    assert ragvigil.flush()
    assert [said(span)[0] for span in exporter.named("retrieve")] == ["7", None]


@pytest.mark.parametrize("version", [7, "", b"7", float("nan"), ["7"]], ids=repr)
def test_what_is_no_version_is_told_and_changes_nothing(
    exported: Exported, version: Any, caplog: pytest.LogCaptureFixture
) -> None:
    ragvigil.mark_index("6")
    ragvigil.mark_index(version)
    search()
    assert said(exported().one("retrieve"))[0] == "6"
    assert "an index is not marked" in caplog.text


def test_parts_that_cannot_be_are_counted(exported: Exported) -> None:
    ragvigil.mark_index("7", committed_at="yesterday", embedding_version=3)  # type: ignore[arg-type]
    search()
    span = exported().one("retrieve")
    assert (said(span), span.dropped_attributes) == (["7", None, None], 2)
