"""`make bench`: every measurement is run, and what it finds is put beside what it should find."""

import math
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.benchmarks.__main__ import main
from tests.benchmarks._aims import AIMS, compared
from tests.benchmarks._kept_stores import stores
from tests.benchmarks._timed_store import Times
from tests.benchmarks.queries import growth

from ragvigil_monitor.hour_sums import add_up
from ragvigil_monitor.store import Store

ROOT = Path(__file__).parents[2]
NOW = datetime(2026, 11, 30, tzinfo=UTC)


def test_one_that_fails_does_not_hide_the_others(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "backup.py").write_text("raise SystemExit('no room')")
    (tmp_path / "drift.py").write_text("print('nothing to compare with')")
    (tmp_path / "kills.py").write_text('print(\'{"up": {"lost": 1, "stored_twice": 0}}\'); raise SystemExit(1)')
    (tmp_path / "queries.py").write_text("import sys; print('# what'); print('{\"slowest_p95_s\": 0.25}')")
    (tmp_path / "_not_one.py").write_text("raise SystemExit('it is a part of others')")
    assert main(folder=tmp_path) == 1
    said = capfd.readouterr()
    assert "Did not end well: backup, kills\n" in said.err
    assert said.out.endswith(
        "# beside their aims\n"
        "backup: no figures\n"
        "drift: no figures\n"
        "kills: up lost 1: with at most 0, missed\n"
        "kills: up stored_twice 0: with at most 0\n"
        "queries: slowest_p95_s 0.25: 0.50 of at most 0.5\n"
    )


def test_all_is_well_when_everything_ends_well_and_only_what_is_named_is_run(tmp_path: Path) -> None:
    (tmp_path / "backup.py").write_text("raise SystemExit('not asked for')")
    (tmp_path / "review.py").write_text("print('{}')")
    assert main(["review"], tmp_path) == 0


def test_a_figure_that_is_no_number_misses_its_aim() -> None:
    (line,) = compared("queries", {"growth_ratio": math.nan, "unknown": 1, "p95_s": {"a": 1}})
    assert line.endswith("missed")


def test_every_aim_is_of_a_measurement_that_there_is() -> None:
    assert {name for name in AIMS if not (ROOT / "tests" / "benchmarks" / f"{name}.py").exists()} == set()


def noted(*asked: tuple[str, float, timedelta]) -> Times:
    """Questions with their signal, what they took, and how far they look back."""
    times = Times(NOW)
    for signal, took_s, window in asked:
        with times.noted("worst", {"signal": signal, "start": NOW - window, "end": NOW, "id": took_s}):
            pass
        times.by_question["worst"][-1] = times.by_question["worst"][-1]._replace(took_s=took_s)
    return times


def test_growth_compares_only_what_both_stores_were_asked() -> None:
    day, month = timedelta(days=1), timedelta(days=30)
    large = noted(("costs", 0.2, day), ("rate", 5.0, day), ("costs", 9.0, month), ("costs", 0.02, timedelta()))
    small = noted(("costs", 0.1, day), ("latency", 0.01, day), ("costs", 0.02, timedelta()))
    assert growth(large, small) == {"worst": pytest.approx(0.22 / 0.12)}


def test_what_hardly_takes_time_has_no_growth() -> None:
    assert growth(noted(("costs", 0.01, timedelta())), noted(("costs", 0.001, timedelta()))) == {}


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


def test_what_was_built_is_kept_and_only_a_copy_is_measured(kept: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with stores(kept, answers=600, days=(2, 1)) as made:
        first = made
        assert made.large.parent.parent == kept
        made.large.unlink()
    assert "large: days: " in capfd.readouterr().err
    with stores(kept, answers=600, days=(2, 1)) as made:
        assert (made.end, made.building_s) == (first.end, first.building_s)
        assert made.large.stat().st_size > made.small.stat().st_size / 2
    assert capfd.readouterr().err == ""
    assert sorted(file.name for file in kept.rglob("*")) == [
        "600-answers",
        "built.json",
        "large.duckdb",
        "small.duckdb",
    ]


def test_the_sums_of_a_built_store_are_those_that_the_job_would_make(kept: Path) -> None:
    """Also the numbers of answers and of feedback are those of the traffic."""
    with stores(kept, answers=600, days=(2, 1)) as made:
        store = Store.open(made.large)
        tables = ("answer_stages", "latency_buckets", "arrivals", "told_hours", "told_libraries")
        before = [sorted(map(repr, store.ask(f"FROM {table}"))) for table in tables]
        with store.transaction() as writer:
            for row in store.ask("SELECT hour FROM summed_hours WHERE state = 'summed'"):
                add_up(writer, row["hour"])
        assert [sorted(map(repr, store.ask(f"FROM {table}"))) for table in tables] == before
        assert len(before[0]) > 2_000
        (counted,) = store.ask(
            "SELECT (SELECT count(*) FROM answers) AS answers, (SELECT count(*) FROM log_events) AS events,"
            " (SELECT count(DISTINCT feedback_id) FROM feedback) AS feedback"
        )
        store.close()
    assert counted["answers"] == 600
    assert counted["events"] == counted["feedback"] > 30
