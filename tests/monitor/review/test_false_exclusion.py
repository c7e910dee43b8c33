"""From outcomes to the two rates of false exclusion."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from tests.samples.relevance_reviews import RelevanceReviews

from ragvigil.predicates import and_, eq, evaluate
from ragvigil_monitor.review.false_exclusion import ExclusionRate, exclusion_rates
from ragvigil_monitor.review.label_reading import READ_LABELS
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
YESTERDAY = NOW - timedelta(days=1)
EXCLUDED: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": [True, False], "relevant": ["c"]}
FOUND: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": [True, False], "relevant": ["a"]}
HIDDEN: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": [True, None], "relevant": ["c"]}
UNFILTERED: dict[str, Any] = {"found": ["a"], "relevant": ["a"]}
NO_EVIDENCE: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": [True, False], "relevant": []}


@pytest.fixture
def reviews() -> RelevanceReviews:
    return RelevanceReviews()


@pytest.fixture
def service(make_service: Any) -> Service:
    made: Service = make_service(NOW)
    return made


def rates(service: Service, reviews: RelevanceReviews, days: int = 28) -> dict[str, ExclusionRate]:
    reviews.insert(service.store)
    run_due(service, NOW, listed=lambda _settings: [READ_LABELS])
    return exclusion_rates(service.store, NOW - timedelta(days=days), NOW, now=NOW)


def add(reviews: RelevanceReviews, times: int, unit: dict[str, Any], **other: Any) -> None:
    for _ in range(times):
        reviews.add(YESTERDAY, **{**unit, **other})


def test_the_worked_example(service: Service, reviews: RelevanceReviews) -> None:
    """Half of the evidence is excluded, and recall says so; recall over what the filter lets through says 100 %."""
    locales = {"d1": "en-US", "d2": "en-GB", "d4": "en-US", "d5": "de-DE", "d6": "fr-FR"}
    recalls, recalls_after_filter = [], []
    for gold, locale in (("d2", "en-US"), ("d4", None), ("d6", "en-US"), ("d5", "de-DE")):
        clause = and_() if locale is None else eq("locale", locale)
        passes = {document: evaluate(clause, {"locale": own}) for document, own in locales.items()}
        found = [document for document, passing in passes.items() if passing]
        probe: dict[str, Any] = {} if locale is None else {"probed": list(locales), "passes": list(passes.values())}
        reviews.add(YESTERDAY, found, relevant=[gold], **probe)
        recalls.append(gold in found)
        recalls_after_filter += [gold in found] if passes[gold] else []
    assert [float(np.mean(each)) for each in (recalls, recalls_after_filter)] == [0.5, 1.0]
    found_rates = rates(service, reviews)
    every, filtered = found_rates["all"].rate, found_rates["filtered"].rate
    assert (every.value, every.n, every.events) == (0.5, 4, 2)
    assert (filtered.value, filtered.n) == (2 / 3, 3)


def test_each_series_has_its_own_denominator(service: Service, reviews: RelevanceReviews) -> None:
    add(reviews, 3, EXCLUDED)
    add(reviews, 7, FOUND)
    add(reviews, 5, NO_EVIDENCE)
    add(reviews, 10, UNFILTERED)
    found = rates(service, reviews)
    assert found["filtered"].rate.value == pytest.approx(0.3)
    assert found["all"].rate.value == pytest.approx(0.15)
    assert (found["filtered"].rate.n, found["all"].rate.n) == (10, 20)
    assert found["filtered"].depths == found["all"].depths == (20, 20)
    assert (found["filtered"].unfiltered_depths, found["all"].unfiltered_depths) == (None, (10, 10))


def test_a_retrieval_stands_for_those_that_were_not_drawn(service: Service, reviews: RelevanceReviews) -> None:
    add(reviews, 6, EXCLUDED, sampling_probability=0.1)
    add(reviews, 4, FOUND, sampling_probability=0.1)
    add(reviews, 9, UNFILTERED, probability=0.01)
    assert rates(service, reviews)["all"].rate.value == pytest.approx(60 / (100 + 900))


def test_without_evidence_the_rate_is_missing_and_never_zero(service: Service, reviews: RelevanceReviews) -> None:
    add(reviews, 5, NO_EVIDENCE)
    rate = rates(service, reviews)["all"].rate
    assert (rate.state, rate.value, rate.lower, rate.upper) == ("missing_evidence", None, None, None)


def test_nothing_drawn_is_no_series(service: Service, reviews: RelevanceReviews) -> None:
    assert rates(service, reviews) == {}
    add(reviews, 1, UNFILTERED)
    assert set(rates(service, reviews)) == {"all"}


def test_what_nobody_was_given_waits_and_does_not_count(service: Service, reviews: RelevanceReviews) -> None:
    add(reviews, 4, FOUND, priority=0.3)
    add(reviews, 2, EXCLUDED, priority=0.6, relevant=None)
    found = rates(service, reviews)["filtered"]
    assert (found.rate.n, found.drawn, found.waiting, found.unknown) == (4, 6, 2, {})


def test_what_is_skipped_is_missing_and_said(service: Service, reviews: RelevanceReviews) -> None:
    add(reviews, 4, FOUND)
    reviews.skip(reviews.add(YESTERDAY, ["a"], ["c"], relevant=None), NOW)
    found = rates(service, reviews)["filtered"]
    assert (found.rate.n, found.rate.missing, found.unknown) == (4, 1, {"not_labelled": 1})


def test_the_rewrites_of_one_answer_are_no_independent_evidence(service: Service, reviews: RelevanceReviews) -> None:
    for unit in [EXCLUDED] * 6 + [FOUND] * 94:
        reviews.add(YESTERDAY, **unit)
        for _ in range(4):
            reviews.add_to_last(YESTERDAY, **unit)
    found = rates(service, reviews)["filtered"].rate
    assert found.value == pytest.approx(0.06)
    assert (found.n, found.events) == (100, 6)
    assert found.alarm_lower == pytest.approx(0.0106, abs=0.001)


def test_without_metadata_the_bounds_allow_for_the_worst(service: Service, reviews: RelevanceReviews) -> None:
    add(reviews, 40, FOUND)
    sure = rates(service, reviews)["filtered"].rate
    add(reviews, 40, HIDDEN)
    found = rates(service, reviews)["filtered"]
    assert (found.rate.value, found.rate.missing, found.unknown) == (0.0, 40, {"no_metadata": 40})
    assert (sure.upper or 1) < 0.1
    assert 0.5 < (found.rate.upper or 0) < 0.7
    assert found.rate.lower == 0.0


def test_without_metadata_an_alarm_needs_what_is_certain(service: Service, reviews: RelevanceReviews) -> None:
    add(reviews, 30, EXCLUDED)
    sure = rates(service, reviews)["filtered"].rate
    add(reviews, 70, HIDDEN)
    found = rates(service, reviews)["filtered"].rate
    assert (sure.alarm_lower or 0) > 0.7
    assert 0.1 < (found.alarm_lower or 0) < 0.3
    assert (found.value, found.upper) == (1.0, 1.0)


def test_a_changed_index_hides_exclusions_and_the_bounds_allow_for_them(
    service: Service, reviews: RelevanceReviews
) -> None:
    add(reviews, 40, FOUND, versions=("1", "2"))
    add(reviews, 40, EXCLUDED, versions=("1", "2"))
    found = rates(service, reviews)["filtered"]
    assert (found.rate.value, found.rate.n, found.unknown) == (0.0, 40, {"index_changed": 40})
    assert 0.5 < (found.rate.upper or 0) < 0.7


def test_an_index_version_that_changes_all_the_time_gives_no_reassuring_zero(
    service: Service, reviews: RelevanceReviews
) -> None:
    add(reviews, 100, EXCLUDED, versions=("1", "2"))
    add(reviews, 100, UNFILTERED)
    assert (rates(service, reviews)["all"].rate.upper or 0) > 0.4


def test_the_judged_stand_for_those_of_their_part_that_are_not(service: Service, reviews: RelevanceReviews) -> None:
    for _ in range(40):
        reviews.skip(reviews.add(YESTERDAY, ["a"], ["c"], relevant=None), NOW)
    add(reviews, 6, EXCLUDED)
    add(reviews, 54, FOUND)
    add(reviews, 100, UNFILTERED)
    found = rates(service, reviews)
    assert (found["all"].rate.value, found["filtered"].rate.value) == pytest.approx((0.05, 0.1))


def test_where_probes_are_lost_neither_rate_is_known(service: Service, reviews: RelevanceReviews) -> None:
    add(reviews, 30, FOUND, sampling_probability=0.1)
    add(reviews, 100, UNFILTERED)
    add(reviews, 100, {"found": ["a"]}, standing="not_probed")
    found = rates(service, reviews)
    for series in ("all", "filtered"):
        assert (found[series].rate.value, found[series].unrepresented) == (0.0, None)
    add(reviews, 189, {"found": ["a"]}, standing="not_probed")
    add(reviews, 1, UNFILTERED)
    found = rates(service, reviews)
    for series in ("all", "filtered"):
        assert (found[series].rate.value, found[series].unrepresented) == (None, "filter_probe")


def test_filtered_retrievals_that_nobody_judged_are_not_represented(
    service: Service, reviews: RelevanceReviews
) -> None:
    for _ in range(60):
        reviews.skip(reviews.add(YESTERDAY, ["a"], ["c"], relevant=None), NOW)
    add(reviews, 40, FOUND)
    add(reviews, 100, UNFILTERED)
    found = rates(service, reviews)["all"]
    assert (found.rate.value, found.unrepresented) == (None, "filter_probe")


@pytest.mark.parametrize("priority", [0.3, 0.6], ids=["none", "some"])
def test_what_nobody_was_given_is_not_represented_by_the_unfiltered(
    service: Service, reviews: RelevanceReviews, priority: float
) -> None:
    add(reviews, 10, FOUND, priority=0.2 if priority > 0.3 else 0.9, relevant=["a"] if priority > 0.3 else None)
    add(reviews, 10, FOUND, priority=priority, relevant=None)
    add(reviews, 20, UNFILTERED)
    found = rates(service, reviews)["all"]
    assert found.unrepresented == (None if priority > 0.3 else "filter_probe")


def test_the_window_is_that_of_the_answers(service: Service, reviews: RelevanceReviews) -> None:
    add(reviews, 2, FOUND)
    reviews.add(NOW - timedelta(days=5), **EXCLUDED)
    assert rates(service, reviews, days=3)["filtered"].rate.n == 2
    assert rates(service, reviews, days=6)["filtered"].rate.n == 3
