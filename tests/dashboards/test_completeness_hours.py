"""Completeness by service and hour."""

from dataclasses import replace
from datetime import timedelta

import pytest

from ragvigil_dashboards.figures.completeness_hours import hour_table, verdict_of
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.models import CompletenessHour


def hour_of(reader: Reader, hours_ago: int = 5, **values: object) -> CompletenessHour:
    hour = reader.now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=hours_ago)
    nothing = {"started": None, "dropped": None, "share": None, "processes": 0, "stored": 0, "uncounted": 0}
    return CompletenessHour.model_validate({"service": "shop", "hour": hour, **nothing, **values})


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"started": 10, "dropped": 0, "stored": 10, "share": 1.0}, "Complete"),
        ({"started": 10, "dropped": 0, "stored": 10, "uncounted": 3}, "Partly counted"),
        ({"started": 10, "dropped": 0, "stored": 9}, "Missing"),
        ({"started": 10, "dropped": 0, "stored": 9, "hours_ago": 1}, "On the way"),
        ({"started": 10, "dropped": 1, "stored": 9}, "Losses"),
        ({"uncounted": 9}, "No counts received"),
    ],
)
def test_an_hour_has_a_verdict(reader: Reader, values: dict[str, int], word: str) -> None:
    assert verdict_of(hour_of(reader, **values), reader).word == word


@pytest.mark.parametrize(
    ("minutes", "values", "word"),
    [
        (1, {"uncounted": 9}, "On the way"),
        (3, {"uncounted": 9}, "No counts received"),
        (59, {"started": 10, "dropped": 0, "stored": 10, "uncounted": 3}, "On the way"),
        (61, {"started": 10, "dropped": 0, "stored": 10, "uncounted": 3}, "On the way"),
        (63, {"started": 10, "dropped": 0, "stored": 10, "uncounted": 3}, "Partly counted"),
        (1, {"started": 10, "dropped": 1, "stored": 9, "uncounted": 3}, "Losses"),
    ],
)
def test_what_the_last_minute_brought_is_still_to_be_counted(
    reader: Reader, minutes: int, values: dict[str, int], word: str
) -> None:
    hour = hour_of(reader, 0, **values)
    later = replace(reader, now=hour.hour + timedelta(minutes=minutes))
    assert verdict_of(hour, later).word == word


def test_an_hour_without_counts_shows_no_share_and_no_hundred(reader: Reader) -> None:
    shown = hour_table([hour_of(reader, uncounted=12)], reader)
    assert shown.count('<td class="num">–</td>') == 4
    assert '<td class="num">12</td>' in shown
    assert "100" not in shown


def test_an_hour_shows_counts_and_share(reader: Reader) -> None:
    shown = hour_table([hour_of(reader, started=3000, dropped=0, stored=2999, share=2999 / 3000)], reader)
    for said in ("3000", "2999", "99.9", "shop"):
        assert said in shown


def test_the_name_of_a_service_cannot_break_out(reader: Reader) -> None:
    assert "<script" not in hour_table([hour_of(reader, service="<script>x</script>")], reader)
