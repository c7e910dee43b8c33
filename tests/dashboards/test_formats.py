"""Numbers, times and durations as people read them."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_dashboards import formats

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 30, 2, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (1046.3, "ms", "1046 ms"),
        (12_345.6, "ms", "12,346 ms"),
        (78.12, "ms", "78.1 ms"),
        (0.0, "ms", "0 ms"),
        (0.0041, "usd", "0.0041 USD"),
        (0.123, "ratio", "12.3 %"),
        (3.0, "", "3"),
        (None, "ms", "–"),
    ],
)
def test_a_quantity_has_its_unit(value: float | None, unit: str, expected: str) -> None:
    assert formats.quantity(value, unit) == expected


@pytest.mark.parametrize(
    ("usd", "expected"),
    [
        (None, "–"),
        (0.0, "0.00 USD"),
        (0.000002, "0.000002 USD"),
        (0.00156012, "0.00156 USD"),
        (0.05, "0.05 USD"),
        (0.9996, "1 USD"),
        (1.5, "1.50 USD"),
        (12_345.678, "12,345.68 USD"),
        (1e-12, "0 USD"),
    ],
)
def test_money_keeps_three_digits_and_never_an_exponent(usd: float | None, expected: str) -> None:
    assert formats.money(usd) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "–"),
        (0, "0 ms"),
        (0.04, "0.04 ms"),
        (4.53, "4.5 ms"),
        (9.97, "10 ms"),
        (563.2, "563 ms"),
        (999.7, "1 s"),
        (1840, "1.84 s"),
        (99_600, "1.7 min"),
        (3_600_000, "60.0 min"),
    ],
)
def test_a_duration_of_a_stage_picks_its_unit(value: float | None, expected: str) -> None:
    assert formats.milliseconds(value) == expected


@pytest.mark.parametrize(
    ("share", "expected"),
    [(None, "–"), (1.0, "100 %"), (0.999999, "99.99 %"), (0.996, "99.6 %"), (0.0, "0 %"), (1.002, "100.2 %")],
)
def test_a_share_is_never_rounded_up_to_complete(share: float | None, expected: str) -> None:
    assert formats.percent(share) == expected


@given(st.floats(0, 1, exclude_max=True))
def test_an_incomplete_share_never_reads_100_percent(share: float) -> None:
    assert formats.percent(share) != "100 %"


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-5, "0 s"),
        (12, "12 s"),
        (59.6, "1 min"),
        (2040, "34 min"),
        (3600, "1 h"),
        (11_100, "3 h 5 min"),
        (86_400, "1 d"),
        (525_600, "6 d 2 h"),
    ],
)
def test_a_span_of_time_has_its_two_largest_units(seconds: float, expected: str) -> None:
    assert formats.span(timedelta(seconds=seconds)) == expected


def test_ago_forgives_clocks_that_run_ahead() -> None:
    assert formats.ago(NOW - timedelta(seconds=12), NOW) == "12 s ago"
    assert formats.ago(NOW + timedelta(minutes=3), NOW) == "just now"


@pytest.mark.parametrize(
    ("moment", "expected"),
    [
        (datetime(2026, 11, 30, 1, 15, tzinfo=UTC), "02:15"),
        (datetime(2026, 11, 29, 23, 30, tzinfo=UTC), "00:30"),
        (datetime(2026, 11, 29, 22, 30, tzinfo=UTC), "Sun 29 Nov 23:30"),
        (datetime(2025, 7, 3, 22, 30, tzinfo=UTC), "4 Jul 2025 00:30"),
    ],
    ids=["today", "today in the reader's zone", "yesterday", "another year, summer time"],
)
def test_a_moment_is_said_in_the_readers_zone(moment: datetime, expected: str) -> None:
    assert formats.clock(moment, NOW, BERLIN) == expected


def test_a_range_says_its_day_once() -> None:
    start = datetime(2026, 11, 28, 20, 40, tzinfo=UTC)
    assert formats.between(start, start + timedelta(hours=2), NOW, BERLIN) == "Sat 28 Nov 21:40 to 23:40"
    assert formats.between(start, start + timedelta(hours=4), NOW, BERLIN) == "Sat 28 Nov 21:40 to Sun 29 Nov 01:40"


def test_an_exact_moment_names_its_zone() -> None:
    assert formats.instant(NOW, BERLIN) == "2026-11-30 03:00:00 CET"


@pytest.mark.parametrize(("seconds", "expected"), [(3600, "1 h"), (86_400, "24 h"), (604_800, "7 d"), (5400, "1.5 h")])
def test_a_window_has_a_short_name(seconds: int, expected: str) -> None:
    assert formats.window(seconds) == expected


def test_numbers_of_a_column_line_up() -> None:
    assert [formats.column(value, 5) for value in (0.0017, 0.00156, None)] == ["0.00170", "0.00156", "–"]
    assert [formats.column(value, 0) for value in (795.4, 9_999.0, 12_345.0)] == ["795", "9999", "12,345"]
