"""What the pages read of judges."""

from datetime import datetime

from ragvigil_dashboards.models import Read


class JudgeCalibration(Read):
    """A judge against blind labels of the same answers."""

    state: str
    pairs: int
    positives: int
    more_positives: int
    kappa: float | None
    positive_agreement: float | None
    unscorable: int


class JudgeInfo(Read):
    """One version of a judge over the window that was asked for."""

    judge: str
    version: str
    in_use: bool
    first_seen_at: datetime | None
    judged: int
    scored_share: float | None
    unscorable: dict[str, int]
    calibration: JudgeCalibration
