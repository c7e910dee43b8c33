"""Mean score of the judge on a rolling sample of answers against a lower limit."""

from typing import Final

from ragvigil_monitor.guardrails.below_limit import BelowLimit
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.sentence import Words
from ragvigil_monitor.judges.calibration import NEVER_CHECKED, Calibration, calibration_of
from ragvigil_monitor.judges.judge import Judge, Unscorable
from ragvigil_monitor.judges.judging import MATURES_S
from ragvigil_monitor.judges.registry import judge_of
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.faithfulness import ALL, FAITHFULNESS
from ragvigil_monitor.signals.signal import Look
from ragvigil_monitor.statistics.interval_estimate import IntervalEstimate

SCORED_SHARE: Final = 0.5
"""Of the answers that may claim something; below it the scores do not speak for the rest."""
_CLAIMS_NOTHING: Final = {Unscorable.REFUSAL, Unscorable.NO_CLAIM}


def _words(settings: Settings, look: Look | None) -> Words:
    judge = judge_of(settings)
    trust = _calibration(judge, look).state
    return Words(
        unit=FAITHFULNESS.unit,
        subject=lambda _series: f"faithfulness by the {judge.name} judge {judge.version} ({trust})",
        limit="lower limit",
        counted=lambda _series: "judged answers",
    )


def _calibration(judge: Judge, look: Look | None) -> Calibration:
    """What was known of the judge when the window ended."""
    if look is None:
        return NEVER_CHECKED
    cut, known_before = look.settings.judge.cut, look.window.end
    return calibration_of(look.store, judge.name, judge.version, cut=cut, known_before=known_before)


def _doubt(look: Look, estimate: IntervalEstimate) -> str:
    """What to say where too many answers that may claim something could not be scored."""
    outcomes = look.store.rows("judge_outcomes_between", start=look.window.start, end=look.window.end)
    unscored = sum(row["n"] for row in outcomes if row["reason"] is not None and row["reason"] not in _CLAIMS_NOTHING)
    claiming = estimate.n + unscored
    if estimate.n >= SCORED_SHARE * claiming:
        return ""
    return f" Only {estimate.n} of {claiming} answers, refusals and those without a claim aside, could be scored."


FAITHFULNESS_GUARDRAIL = Guardrail(
    signal=FAITHFULNESS,
    section=lambda settings: settings.guardrails.faithfulness,
    rule=BelowLimit(
        limits=lambda settings: {ALL: settings.guardrails.faithfulness.limit},
        words=_words,
        is_starting_value=lambda settings: settings.guardrails.faithfulness.is_starting_value("limit"),
        doubt=_doubt,
    ),
    matures_s=lambda _settings: MATURES_S,
)
