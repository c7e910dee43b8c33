"""How much judges could score, and how far they agree with people."""

from typing import Annotated

from fastapi import APIRouter, Query

from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.judge_models import JudgeCalibration, JudgeInfo
from ragvigil_monitor.judges.calibration import Calibration
from ragvigil_monitor.judges.report import judge_reports

router = APIRouter(prefix="/judges")


@router.get("")
def judges(
    service: ServiceDep,
    days: Annotated[int, Query(ge=1, le=90, description="Length of the window, in days.")] = 28,
) -> list[JudgeInfo]:
    """The judge in use first, then those that it replaced in the window, which ends now."""
    return [
        JudgeInfo(
            judge=report.judge,
            version=report.version,
            in_use=report.in_use,
            first_seen_at=report.first_seen_at,
            judged=report.judged,
            scored_share=report.scored_share,
            unscorable=dict(report.unscorable),
            calibration=_calibration(report.calibration, service.settings.judge.cut),
        )
        for report in judge_reports(service.store, service.settings, days, service.clock())
    ]


def _calibration(found: Calibration, cut: float) -> JudgeCalibration:
    return JudgeCalibration(
        state=found.state,
        cut=cut,
        pairs=found.pairs,
        positives=found.positives,
        more_positives=found.more_positives,
        kappa=found.kappa,
        positive_agreement=found.positive_agreement,
        unscorable=found.unscorable,
    )
