"""A look that is caught up later reads what reviewers had said by its time, and nothing that came after."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.samples.relevance_reviews import RelevanceReviews

from ragvigil_monitor.review.false_exclusion import exclusion_rates
from ragvigil_monitor.review.label_reading import READ_LABELS
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.store.database import Row

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
YESTERDAY, WEEK_AGO, LOOK = NOW - timedelta(days=1), NOW - timedelta(days=7), NOW - timedelta(hours=12)
PROBED: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": [True, False], "relevant": ["c"]}
LATE = timedelta(hours=20)


def drawn(service: Any, now: datetime) -> list[Row]:
    rows: list[Row] = service.store.rows("reviews_between", kind="relevance", start=WEEK_AGO, end=NOW, now=now)
    return rows


def test_labels_and_skips_of_later_are_not_known_yet(make_service: Any) -> None:
    service, reviews = make_service(NOW), RelevanceReviews()
    reviews.add(YESTERDAY, **PROBED)
    reviews.add(YESTERDAY, **PROBED, labelled_after=LATE)
    reviews.skip(reviews.add(YESTERDAY, ["a"], ["c"], relevant=None), YESTERDAY + LATE)
    reviews.insert(service.store)
    at_look, today = drawn(service, LOOK), drawn(service, NOW)
    assert sorted(str(row["first_label"]) for row in at_look) == ["None", "None", "relevant"]
    assert sorted(str(row["first_label"]) for row in today) == ["None", "relevant", "relevant"]
    assert [sum(row["is_skipped"] for row in rows) for rows in (at_look, today)] == [0, 1]


def test_who_held_an_item_at_the_time_of_the_look_held_it(make_service: Any) -> None:
    service, reviews = make_service(NOW), RelevanceReviews()
    item = reviews.add(YESTERDAY, ["a"], ["c"], relevant=None)
    reviews.insert(service.store)
    lease = {"lease_id": "1", "item_id": item, "reviewer": "ada", "stratum": "filter_probe"}
    hour = timedelta(hours=1)
    with service.store.transaction() as writer:
        writer.execute("add_review_lease", **lease, leased_at=LOOK - hour, expires_at=LOOK + hour)
        writer.execute("add_review_skip", item_id=item, lease_id="1", reviewer="ada", skipped_at=LOOK + hour / 2)
    held = [drawn(service, LOOK + hours)[0]["is_held"] for hours in (-2 * hour, 0 * hour, 0.6 * hour, 2 * hour)]
    assert held == [False, True, False, False]


def test_a_look_that_is_caught_up_finds_what_a_timely_one_found(make_service: Any) -> None:
    service, reviews = make_service(NOW), RelevanceReviews()
    for number in range(6):
        reviews.add(YESTERDAY, **PROBED, labelled_after=LATE if number % 2 else timedelta(hours=2))
    reviews.insert(service.store)

    def look() -> Any:
        run = {"start": WEEK_AGO, "end": NOW, "now": LOOK}
        return service.store.rows("relevance_outcomes_between", **run), exclusion_rates(
            service.store, WEEK_AGO, NOW, now=LOOK
        )

    def read(now: datetime) -> None:
        run_due(service, now, listed=lambda _settings: [READ_LABELS])

    read(LOOK)
    timely = look()
    read(NOW)
    assert look() == timely
    assert (len(timely[0]), timely[1]["filtered"].waiting) == (3, 3)
