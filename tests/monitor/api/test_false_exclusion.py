"""The two rates, and the stages that lost evidence, over HTTP."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from tests.samples.relevance_reviews import RelevanceReviews, assembled, cited, reranked
from tests.samples.servers import running_service
from tests.samples.world import World

from ragvigil_monitor.review.drawing import DRAW_RELEVANCE
from ragvigil_monitor.review.label_reading import READ_LABELS
from ragvigil_monitor.schedule import run_due

RATES, LOSSES = "/review/false-exclusion", "/review/losses"
EXCLUDED: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": [True, False], "relevant": ["c"]}
MISSED: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": [True, True], "relevant": ["c"]}
HIDDEN: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": None, "relevant": ["c"]}
FOUND: dict[str, Any] = {"found": ["a"], "probed": ["a", "c"], "passes": [True, False], "relevant": ["a"]}
UNFILTERED: dict[str, Any] = {"found": ["a"], "relevant": ["a"]}

Fill = Callable[..., None]


@pytest.fixture
def fill(empty: World) -> Fill:
    """Reviews as many retrievals of two days ago as asked, and reads the labels."""

    def insert(*units: tuple[int, dict[str, Any]]) -> None:
        reviews = RelevanceReviews()
        for times, unit in units:
            for _ in range(times):
                reviews.add(empty.now - timedelta(days=2), **unit)
        reviews.insert(empty.store)
        with running_service(empty.store, empty.keys, lambda: empty.now) as service:
            run_due(service, empty.now, listed=lambda _settings: [READ_LABELS])

    return insert


def by_series(found: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    assert [rate["series"] for rate in found["rates"]] == ["all", "filtered"]
    return found["rates"][0], found["rates"][1]


def test_both_rates_have_their_interval_and_their_denominator(empty: World, fill: Fill) -> None:
    fill((12, EXCLUDED), (18, FOUND), (30, UNFILTERED), (2, HIDDEN))
    found = empty.get(RATES)
    every, filtered = by_series(found)
    assert [every["value"], filtered["value"]] == pytest.approx([0.2, 0.4])
    assert (every["n"], every["events"], every["missing"]) == (60, 12, 2)
    assert (filtered["n"], filtered["drawn"], filtered["waiting"]) == (30, 32, 0)
    assert every["lower"] < 0.2 < every["upper"]
    assert every["held_up_by_unknown"] is False
    assert (every["limit"], every["limit_is_starting_value"], every["verdict"]) == (0.02, True, "breach")
    assert (filtered["limit"], filtered["verdict"], filtered["more_reviews"]) == (None, "unguarded", None)
    assert found["unknown"] == filtered["unknown"] == {"no_metadata": 2}
    assert (found["depth"], found["deepest"]) == (20, 20)
    assert (found["unfiltered_depth"], found["unfiltered_deepest"]) == (10, 10)


def test_no_number_of_reviews_is_promised_where_the_unknown_keep_a_verdict_away(empty: World, fill: Fill) -> None:
    fill((250, FOUND), (20, HIDDEN))
    every, _ = by_series(empty.get(RATES))
    assert (every["verdict"], every["more_reviews"], every["held_up_by_unknown"]) == ("inconclusive", None, True)


def test_a_higher_level_gives_a_wider_interval(empty: World, fill: Fill) -> None:
    fill((12, EXCLUDED), (18, FOUND))
    (_, usual), (_, wide) = (by_series(empty.get(RATES, level=level)) for level in (0.95, 0.999))
    assert wide["lower"] < usual["lower"] < usual["upper"] < wide["upper"]
    assert wide["value"] == usual["value"]


def test_without_reviews_there_is_no_value(empty: World) -> None:
    found = empty.get(RATES)
    for rate in by_series(found):
        assert (rate["state"], rate["value"], rate["upper"]) == ("missing_evidence", None, None)
        assert (rate["verdict"], rate["drawn"], rate["missing"]) == ("no_data", 0, 0)
    assert (found["depth"], found["unknown"]) == (None, {})


def test_the_window_ends_now_and_is_as_long_as_asked(empty: World, fill: Fill) -> None:
    fill((3, FOUND))
    assert [by_series(empty.get(RATES, days=days))[0]["n"] for days in (1, 7)] == [0, 3]


def test_losses_are_counted_by_stage_and_by_slice(empty: World, fill: Fill) -> None:
    fill(
        (3, {**EXCLUDED, "intent": "how_to", "slices": '{"team": "web"}'}),
        (2, {**MISSED, "intent": "how_to"}),
        (1, {**FOUND, "intent": "lookup", "stages": [reranked("z")]}),
        (1, {**FOUND, "intent": "lookup", "stages": [assembled("z")]}),
        (1, {**FOUND, "intent": "lookup", "citations": cited("z")}),
        (4, {**UNFILTERED, "intent": "lookup", "citations": cited("a")}),
        (2, {**HIDDEN, "intent": "lookup"}),
        (5, {**FOUND, "relevant": []}),
    )
    found = empty.get(LOSSES)
    stages = {each["stage"]: each["n"] for each in found["stages"]}
    assert stages == {"filter": 3, "retrieve": 2, "rerank": 1, "context": 1, "citation": 1, "kept": 4}
    assert (found["n"], found["unknown"]) == (14, 2)
    named = {(each["name"], each["value"]): each for each in found["slices"]}
    assert [(each["name"], each["value"]) for each in found["slices"]] == [
        *(("service_version", "1.0"), ("intent", "how_to"), ("intent", "lookup"), ("team", "web"))
    ]
    lookup, team = named["intent", "lookup"], named["team", "web"]
    assert (lookup["n"], lookup["unknown"]) == (9, 2)
    assert [each["n"] for each in lookup["stages"]] == [0, 0, 1, 1, 1, 4]
    assert [each["n"] for each in team["stages"]] == [3, 0, 0, 0, 0, 0]


def test_a_slice_that_is_named_like_a_column_counts_once(empty: World, fill: Fill) -> None:
    named = '{"intent": "how_to", "service_version": "1.0"}'
    fill((3, {**EXCLUDED, "intent": "how_to", "slices": named}), (2, {**EXCLUDED, "intent": None, "slices": named}))
    counts = {(each["name"], each["value"]): each["n"] for each in empty.get(LOSSES)["slices"]}
    assert counts == {("intent", "how_to"): 5, ("service_version", "1.0"): 5}


def test_without_reviews_nothing_was_lost_nor_kept(empty: World) -> None:
    found = empty.get(LOSSES)
    assert (found["n"], found["unknown"], found["slices"]) == (0, 0, [])
    assert {each["n"] for each in found["stages"]} == {0}


@pytest.mark.parametrize(
    ("path", "parameters"),
    [
        (RATES, {"days": 0}),
        (RATES, {"days": 91}),
        (RATES, {"days": "x"}),
        (RATES, {"level": 1}),
        (RATES, {"level": 0.1}),
        (RATES, {"level": "nan"}),
        (LOSSES, {"days": 0}),
    ],
)
def test_parameters_that_mean_nothing_are_refused(empty: World, path: str, parameters: dict[str, Any]) -> None:
    status, detail = empty.refusal(path, **parameters)
    assert status == 422
    assert next(iter(parameters)) in detail


def only_trace(world: World) -> str:
    (answer,) = world.get("/answers", start=(world.now - timedelta(days=3)).isoformat())
    return str(answer["trace_id"])


def test_an_answer_says_where_each_relevant_document_was_last_seen(empty: World, fill: Fill) -> None:
    unit: dict[str, Any] = {"found": ["a", "b"], "probed": ["a", "b", "c"], "passes": [True, True, False]}
    fill((1, {**unit, "relevant": ["a", "b", "c"], "stages": [reranked("a", "z")], "citations": cited("z")}))
    (reviewed,) = empty.get(f"/answers/{only_trace(empty)}/evidence")
    assert reviewed["documents"] == [
        {"id": "a", "last_seen": "rerank"},
        {"id": "b", "last_seen": "retrieve"},
        {"id": "c", "last_seen": None},
    ]
    assert (reviewed["lost_at"], reviewed["is_excluded"], reviewed["shown"]) == ("citation", False, 3)
    assert (reviewed["is_filtered"], reviewed["depth"], reviewed["unknown_because"]) == (True, 20, None)


def test_an_answer_that_nobody_reviewed_has_no_evidence_to_show(empty: World, fill: Fill) -> None:
    fill((1, {**FOUND, "relevant": None}))
    assert empty.get(f"/answers/{only_trace(empty)}/evidence") == []
    assert empty.get(f"/answers/{'0' * 31}1/evidence") == []
    assert empty.refusal("/answers/xyz/evidence")[0] == 422


def test_what_could_not_be_drawn_is_counted(empty: World, fill: Fill) -> None:
    assert empty.get(RATES)["not_drawn"] == {}
    sent = RelevanceReviews()
    for state in ("unknown", "unknown", "none"):
        sent.add(empty.now - timedelta(hours=30), **UNFILTERED)
        sent.sent.spans[-1]["filter_state"] = state
    sent.insert_traffic(empty.store)
    with running_service(empty.store, empty.keys, lambda: empty.now) as service:
        run_due(service, empty.now, listed=lambda _settings: [DRAW_RELEVANCE])
    assert empty.store.rows("job_problems_now") == []
    assert empty.get(RATES)["not_drawn"] == {"filter_unknown": 2}
