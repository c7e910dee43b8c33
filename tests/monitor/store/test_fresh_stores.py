"""Tests begin with copies of a migrated schema; nothing tells them from a store that went through the migrations."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.samples.fresh_stores import fresh_store
from tests.samples.rows_of import rows_of, schema_of

from ragvigil_monitor.store import Store


def written(store: Store, path: Path) -> Path:
    """The store as a file; also what no backup would keep."""
    store._connection.execute(f"ATTACH '{path}' AS written")
    store._connection.execute("COPY FROM DATABASE memory TO written")
    store._connection.execute("DETACH written")
    return path


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    with closing(fresh_store()) as store:
        return written(store, tmp_path / "copied.duckdb")


@pytest.fixture
def migrated(tmp_path: Path) -> Path:
    with closing(Store.open(None)) as store:
        return written(store, tmp_path / "migrated.duckdb")


def test_a_fresh_store_has_the_schema_that_migrations_make(copied: Path, migrated: Path) -> None:
    assert schema_of(copied) == schema_of(migrated)


def test_a_fresh_store_has_the_rows_that_migrations_make(copied: Path, migrated: Path) -> None:
    records = ("schema_migrations",)
    assert rows_of(copied, leave_out=records) == rows_of(migrated, leave_out=records)
    numbered, expected = ([row[:2] for row in rows_of(path)[records[0]]] for path in (copied, migrated))
    assert numbered == expected


def test_a_fresh_store_is_configured_as_an_opened_one() -> None:
    def settings(store: Store) -> list[tuple[str, str]]:
        return store._connection.execute("SELECT name, value FROM duckdb_settings() ORDER BY name").fetchall()

    with closing(fresh_store()) as copied, closing(Store.open(None)) as opened:
        assert settings(copied) == settings(opened)


def test_fresh_stores_share_nothing() -> None:
    with closing(fresh_store()) as one, closing(fresh_store()) as other:
        with one.transaction() as writer:
            writer.run("INSERT INTO job_watermarks VALUES ('a', now())")
        assert other.ask("FROM job_watermarks") == []
        assert [row["database_name"] for row in one.ask("FROM duckdb_databases() WHERE NOT internal")] == ["memory"]
