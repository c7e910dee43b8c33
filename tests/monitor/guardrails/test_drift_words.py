from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ragvigil_monitor.drift.comparing import ComparedWindow
from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.evidence import Comparison, SliceContribution
from ragvigil_monitor.guardrails.drift_words import comparison_note, uncalibrated_sentence
from ragvigil_monitor.signals.query_drift import Drift
from ragvigil_monitor.signals.signal import Window

END = datetime(2026, 6, 22, 20, tzinfo=UTC)
FOUND = Comparison(
    n=1367,
    m=480,
    mmd2=0.00274,
    p=1 / 1001,
    approximate_p=2e-6,
    permutations=1000,
    gamma=0.5,
    auc=0.569,
    auc_p=0.01,
    duplicate_share=0.05,
    deduplicated_p=None,
    slices=[SliceContribution("billing", 62, 57.6, 0.00137), SliceContribution("search", 10, -3.0, 0.0001)],
    trace_ids=["00"],
)


def test_the_note_says_how_different_how_sure_and_where() -> None:
    assert comparison_note(ComparedWindow(END, FOUND)) == (
        "The day up to 2026-06-22 20:00 against 1367 queries of the same season: MMD² 0.00274, p = 0.001 of 1000 "
        "permutations, about 2e-06 by a Pearson III tail (exact for independent queries only); a linear classifier "
        "tells them apart with AUC 0.57. The intent billing adds 50% of it: 62 queries, +58 against the season."
    )


def test_copies_are_mentioned_where_they_are_many() -> None:
    copied = replace(FOUND, duplicate_share=0.62, deduplicated_p=0.21)
    assert " 62% of the queries are copies; without them p = 0.21." in comparison_note(ComparedWindow(END, copied))


@pytest.mark.parametrize(
    "found",
    [replace(FOUND, slices=[]), replace(FOUND, mmd2=-0.0001), replace(FOUND, mmd2=0.0)],
    ids=["none", "below", "0"],
)
def test_no_slice_is_named_where_none_explains_anything(found: Comparison) -> None:
    assert "intent" not in comparison_note(ComparedWindow(END, found))


def test_without_a_tail_only_the_permutations_are_given() -> None:
    found = replace(FOUND, p=0.2, approximate_p=None)
    assert "p = 0.2 of 1000 permutations (exact" in comparison_note(ComparedWindow(END, found))


def test_a_window_that_could_not_be_tested_says_so() -> None:
    assert comparison_note(ComparedWindow(END, None)) == "Too few single vectors for a permutation test."


@pytest.mark.parametrize(
    ("model", "named"), [("encoder-1", "encoder-1 (96 numbers)"), ("", "an unnamed model (96 numbers)")]
)
def test_while_uncalibrated_the_size_of_the_last_days_effect_is_shown(model: str, named: str) -> None:
    drift = Drift(None, 480, 0, Encoder(model, 96), END.replace(day=1), effect=ComparedWindow(END, FOUND))
    sentence = uncalibrated_sentence("novelty", drift, Window(END, 86400), 4)
    assert sentence == (
        f"Query novelty is uncalibrated: {named} has 21 of the 28 days of query vectors that a reference takes; "
        "n = 480 over the last 24 h. Effect size of the day up to 2026-06-22 20:00: MMD² 0.0027, AUC 0.57."
    )
