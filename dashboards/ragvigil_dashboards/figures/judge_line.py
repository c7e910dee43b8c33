"""Judges in one line each: which, how much of its sample it could score, and how far people agree with it."""

from collections.abc import Iterable

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.judge_models import JudgeCalibration, JudgeInfo
from ragvigil_dashboards.markup import Markup, foreign, tag

JUDGED_SIGNALS = frozenset({"faithfulness"})
"""The signals that are a judge's scores."""


def judge_lines(judges: Iterable[JudgeInfo], reader: Reader) -> Markup:
    """The judge in use, and those that it replaced in the window."""
    return tag("div", *(_line(judge, reader) for judge in judges))


def _line(judge: JudgeInfo, reader: Reader) -> Markup:
    since = "not used yet" if judge.first_seen_at is None else f"since {reader.when(judge.first_seen_at)}"
    use = since if judge.in_use else f"{since}, replaced"
    said = f" · {use} · {_scored(judge)} · {calibration_words(judge.calibration)}"
    return tag(
        "div", tag("b", "judge ", foreign(f"{judge.judge} {judge.version}", longest=60)), said, class_="rv-aside"
    )


def _scored(judge: JudgeInfo) -> str:
    if judge.scored_share is None:
        return "no answer judged in 28 days"
    scored = f"{formats.percent(judge.scored_share)} of {formats.count(judge.judged)} sampled answers scored in 28 days"
    why = ", ".join(f"{formats.count(n)} {reason.replace('_', ' ')}" for reason, n in judge.unscorable.items())
    return f"{scored} (not: {why})" if why else scored


def calibration_words(found: JudgeCalibration) -> str:
    """For example: `uncalibrated: 18 more answers in which reviewers find a fault needed`."""
    if found.more_positives:
        return (
            f"{found.state}: {formats.count(found.more_positives)} more answers in which reviewers find a fault needed"
        )
    agrees = f"agreement with reviewers on faults {formats.percent(found.positive_agreement)}"
    kappa = "" if found.kappa is None else f", kappa {found.kappa:.2f}"
    return f"{found.state}: {agrees}{kappa}, n = {formats.count(found.pairs)}"
