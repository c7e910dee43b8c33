"""Completeness by process, and what became of everything received."""

from datetime import timedelta

import pytest

from ragvigil_dashboards.figures.completeness_tables import ingest_table, meaning, process_table, verdict_of
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.models import Completeness, IngestCount


def process(**values: object) -> Completeness:
    nothing = dict.fromkeys(Completeness.model_fields)
    return Completeness.model_validate({**nothing, "service": "shop", "stored": 0, **values})


@pytest.mark.parametrize(
    ("values", "word"),
    [
        ({"started": 10, "dropped": 0, "stored": 10}, "Complete"),
        ({"started": 10, "dropped": 0, "stored": 7}, "On the way"),
        ({"started": 10, "dropped": 3, "stored": 7}, "Losses"),
        ({"started": None, "stored": 7}, "Not reported"),
        ({"started": 0, "dropped": 0, "stored": 0}, "Complete"),
    ],
)
def test_a_process_has_a_verdict(values: dict[str, int | None], word: str) -> None:
    assert verdict_of(process(**values)).word == word


def test_a_row_shows_counts_and_share(reader: Reader) -> None:
    one = process(
        instance_id="8f0c2b7a-4d1e-4a53",
        started=12_012,
        exported=12_000,
        spooled=0,
        dropped=12,
        stored=12_000,
        share=12_000 / 12_012,
        reported_at=reader.now - timedelta(seconds=40),
    )
    shown = process_table([one], reader)
    for said in ("12,012", "12,000", "99.9 %", "40 s ago", "8f0c2b7a-4d1", 'title="8f0c2b7a-4d1e-4a53"'):
        assert said in shown


def test_an_unreported_process_shows_dashes_not_zeros(reader: Reader) -> None:
    shown = process_table([process(stored=5)], reader)
    assert shown.count('<td class="num">–</td>') == 5
    assert '<td class="num">5</td>' in shown
    assert "never" in shown


def test_what_went_wrong_is_listed_first() -> None:
    counts = [
        IngestCount(service="shop", outcome="spans_committed", items=90_000),
        IngestCount(service="shop", outcome="flawed_bad_vector", items=3),
        IngestCount(service="shop", outcome="rejected_bad_id", items=1),
        IngestCount(service="shop", outcome="rejected_bad_body", items=2),
    ]
    shown = ingest_table(counts)
    order = [shown.index(word) for word in ("rejected_bad_body", "rejected_bad_id", "flawed_bad_vector", "90,000")]
    assert order == sorted(order)


@pytest.mark.parametrize(
    ("outcome", "said"),
    [
        ("spans_committed", "Spans that are in the store."),
        ("rejected_bad_id", "Not stored: the trace or span id was missing or not valid."),
        ("flawed_bad_vector", "Stored, but the query vector"),
        ("flawed_bad_cost_usd", "Stored, but cost usd was not valid and was left out."),
        ("flawed_negative_duration", "Stored, but it ended before it started"),
        ("rejected_something_new", "Not stored: something new."),
        ("novel_outcome", ""),
    ],
)
def test_every_outcome_has_a_meaning(outcome: str, said: str) -> None:
    assert meaning(outcome).startswith(said)


def test_names_of_services_are_inert(reader: Reader) -> None:
    evil = "<script>alert(1)</script>"
    assert "<script" not in process_table([process(service=evil, instance_id=evil)], reader)
    assert "<script" not in ingest_table([IngestCount(service=evil, outcome=evil, items=1)])
