"""What the pages say of evidence, as plain text."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ragvigil_dashboards.exclusion_models import (
    ExclusionSeries,
    FalseExclusionRates,
    Losses,
    RelevantDocument,
    ReviewedRetrieval,
    SliceLosses,
    StageLoss,
)
from ragvigil_dashboards.figures.evidence_losses import evidence_losses_table, losses_sentence
from ragvigil_dashboards.figures.evidence_words import reason_words
from ragvigil_dashboards.figures.exclusion_rates import (
    exclusion_note,
    exclusion_table,
    no_evidence_advice,
    unjudged_table,
)
from ragvigil_dashboards.figures.reviewed_evidence import evidence_sentence, reviewed_evidence

NOW = datetime(2026, 11, 30, tzinfo=UTC)
STAGES = ("filter", "retrieve", "rerank", "context", "citation", "kept")


def rate(**other: Any) -> ExclusionSeries:
    values = {
        "series": "all",
        "value": 0.0413,
        "lower": 0.0231,
        "upper": 0.0684,
        "n": 310,
        "events": 11,
        "missing": 5,
        "drawn": 420,
        "waiting": 40,
        "unknown": {},
        "unrepresented": None,
        "limit": 0.02,
        "limit_is_starting_value": True,
        "verdict": "breach",
        "more_reviews": 0,
        "held_up_by_unknown": False,
    }
    return ExclusionSeries(**{**values, **other})


def rates(*series: ExclusionSeries, **other: Any) -> FalseExclusionRates:
    values = {
        "start": NOW - timedelta(days=28),
        "end": NOW,
        "unknown": {},
        "not_drawn": {},
        "depth": 20,
        "deepest": 20,
        "unfiltered_depth": 10,
        "unfiltered_deepest": 10,
    }
    return FalseExclusionRates(rates=list(series) or [rate()], **{**values, **other})


def losses(*counts: int, unknown: int = 0, slices: list[SliceLosses] | None = None) -> Losses:
    return Losses(
        start=NOW - timedelta(days=28),
        end=NOW,
        n=sum(counts) + unknown,
        unknown=unknown,
        stages=stage_losses(*counts),
        slices=slices or [],
    )


def stage_losses(*counts: int) -> list[StageLoss]:
    return [StageLoss(stage=stage, n=n) for stage, n in zip(STAGES, counts, strict=True)]


def test_a_rate_stands_beside_its_interval_its_limit_and_its_window() -> None:
    shown = exclusion_table({7: rates(), 28: rates()})
    for text in ("4.13 %", "2.31–6.84 %", "2 % (starting value)", "7 d", "28 d", "all retrievals with evidence", "310"):
        assert text in shown
    assert shown.count("Breach") == 2


def test_without_reviews_the_rate_is_unknown_and_never_zero() -> None:
    nothing = rate(value=None, lower=None, upper=None, n=0, events=0, verdict="no_data", more_reviews=368)
    shown = exclusion_table({28: rates(nothing)})
    assert "unknown" in shown
    assert "0 %" not in shown.replace("2 % (starting value)", "")
    assert "368 more" in shown


@pytest.mark.parametrize(
    ("other", "shown"),
    [
        ({"more_reviews": None}, "too close"),
        ({"more_reviews": None, "held_up_by_unknown": True}, "too many unknown"),
        ({"limit": None, "more_reviews": None, "verdict": "unguarded", "series": "filtered"}, "No limit set"),
        ({"limit_is_starting_value": False}, "<td>2 %</td>"),
        ({"verdict": "something new"}, "something new"),
    ],
    ids=["on the limit", "unknown", "no limit", "confirmed limit", "a newer verdict"],
)
def test_what_a_rate_lacks_is_said(other: dict[str, Any], shown: str) -> None:
    assert shown in exclusion_table({28: rates(rate(**other))})


def test_the_depth_and_what_waits_are_said() -> None:
    assert "filtered retrievals at depth 20, the others at depth 10:" in exclusion_note(rates())
    assert "at depth 20 to 40, the others at depth 10 to 15:" in exclusion_note(
        rates(deepest=40, unfiltered_deepest=15)
    )
    assert "at depth unknown, the others" in exclusion_note(rates(depth=None, deepest=None))
    assert "40 of 420 drawn retrievals wait" in exclusion_note(rates())


def test_where_nothing_is_judged_no_depth_is_said() -> None:
    unknown = dict.fromkeys(["depth", "deepest", "unfiltered_depth", "unfiltered_deepest"])
    nothing_drawn = exclusion_note(rates(rate(drawn=0, waiting=0), **unknown))
    assert "drawn for review yet" in nothing_drawn
    assert "depth" not in nothing_drawn
    waiting = exclusion_note(rates(rate(drawn=3, waiting=3), **unknown))
    assert "3 of 3 drawn retrievals wait" in waiting
    assert "depth" not in waiting


@pytest.mark.parametrize(
    ("drawn", "waiting", "said"),
    [(0, 0, "probe_share"), (4, 3, "3 drawn retrievals wait"), (4, 0, "no relevant document")],
)
def test_the_advice_goes_by_what_is_there(drawn: int, waiting: int, said: str) -> None:
    advice = no_evidence_advice(rate(drawn=drawn, waiting=waiting))
    assert said in advice
    assert ("probe_share" in advice) == (drawn == 0)


def test_a_part_of_the_traffic_that_nobody_draws_is_said() -> None:
    assert "Switch probes on" in exclusion_note(rates(rate(unrepresented="filter_probe")))
    assert "unfiltered_share" in exclusion_note(rates(rate(unrepresented="unfiltered")))
    assert "another" in exclusion_note(rates(rate(unrepresented="another")))


def test_reasons_of_probed_searches_and_of_strata_without_a_share_have_words() -> None:
    assert reason_words("probed_documents_not_found") == "no document was found at all (of a probed search)"
    assert "unfiltered_share was 0" in reason_words("unfiltered")


def test_what_could_not_be_judged_is_listed_with_its_reason() -> None:
    shown = unjudged_table(rates(unknown={"no_metadata": 3}, not_drawn={"filter_unknown": 9, "a_new_reason": 1}))
    assert reason_words("no_metadata") in shown
    assert shown.index(reason_words("filter_unknown")) < shown.index("a new reason")
    assert "could be judged" in unjudged_table(rates())
    assert "could be judged" not in unjudged_table(rates(rate(drawn=0, waiting=0)))


def test_losses_are_a_row_for_all_and_one_a_slice_with_the_largest_in_bold() -> None:
    own = SliceLosses(name="team", value="<b>web</b>", n=3, unknown=0, stages=stage_losses(0, 1, 0, 0, 0, 2))
    shown = evidence_losses_table(losses(40, 5, 9, 0, 8, 410, unknown=4, slices=[own]))
    assert "<b>40</b>" in shown
    assert "lost at filter" in shown
    assert "&lt;b&gt;web&lt;/b&gt;" in shown
    assert shown.count("<tr>") == 3
    assert "<b>410</b>" not in shown


def test_a_sentence_names_the_stage_that_loses_most() -> None:
    assert "62 of 476 reviewed" in losses_sentence(losses(40, 5, 9, 0, 8, 410, unknown=4))
    assert "<b>filter</b>: 40." in losses_sentence(losses(40, 5, 9, 0, 8, 410))
    assert "None of 7 reviewed" in losses_sentence(losses(0, 0, 0, 0, 0, 7))


def retrieval(**other: Any) -> ReviewedRetrieval:
    values = {
        "span_id": "1" * 16,
        "is_filtered": True,
        "depth": 20,
        "shown": 24,
        "has_evidence": True,
        "lost_at": "filter",
        "unknown_because": None,
        "documents": [RelevantDocument(id="d-1", last_seen=None), RelevantDocument(id="<i>d", last_seen="rerank")],
    }
    return ReviewedRetrieval(**{**values, **other})


@pytest.mark.parametrize(
    ("other", "sentence"),
    [
        ({}, "Evidence lost at: filter (the relevance clauses keep it out)."),
        ({"lost_at": "citation"}, "Evidence lost at: citation (the model saw it and did not cite it)."),
        ({"lost_at": "kept"}, "Evidence kept: at least one relevant document is there after the last recorded stage."),
        ({"has_evidence": False, "lost_at": None}, "No relevant document among the 24 that a reviewer was shown."),
        (
            {"lost_at": None, "unknown_because": "index_changed"},
            "It is not known where evidence was lost: the index changed between the search and its probe.",
        ),
    ],
    ids=["filter", "citation", "kept", "no evidence", "unknown"],
)
def test_a_reviewed_answer_says_where_its_evidence_was_lost(other: dict[str, Any], sentence: str) -> None:
    assert evidence_sentence(retrieval(**other)) == sentence


def test_each_relevant_document_says_where_it_was_last_seen() -> None:
    shown = reviewed_evidence([retrieval()])
    assert "only by the search without relevance clauses" in shown
    assert "kept by the reranker" in shown
    assert "&lt;i&gt;d" in shown


def test_an_unknown_exclusion_is_said_beside_what_is_known() -> None:
    shown = reviewed_evidence([retrieval(lost_at="kept", unknown_because="index_changed")])
    assert "Whether the filter excluded all evidence is not known" in shown
    assert "not known" not in reviewed_evidence([retrieval(lost_at="kept")])


def test_an_answer_that_nobody_reviewed_says_so() -> None:
    assert "No retrieval of this answer has been reviewed." in reviewed_evidence([])
