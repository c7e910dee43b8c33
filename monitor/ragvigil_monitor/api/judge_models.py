"""What the API says of judges."""

from datetime import datetime

from ragvigil_monitor.api.models import ApiModel


class JudgeCalibration(ApiModel):
    """A judge against blind labels of the same answers. state: `calibrated` or `uncalibrated`.

    It says `not fully supported` where its score lies below `cut`. pairs: answers with a score and a label about
    claims, positives: those that people found not fully supported, more_positives: how many more of them are needed.
    kappa, positive_agreement: None where undefined. unscorable: labelled answers that the judge could not score.
    """

    state: str
    cut: float
    pairs: int
    positives: int
    more_positives: int
    kappa: float | None
    positive_agreement: float | None
    unscorable: int


class JudgeInfo(ApiModel):
    """One version of a judge over a window. judged: sampled answers; scored_share: of them, None where there are none.

    unscorable: answers without a score, by reason. first_seen_at: since which answer it is used; None: not yet.
    """

    judge: str
    version: str
    in_use: bool
    first_seen_at: datetime | None
    judged: int
    scored_share: float | None
    unscorable: dict[str, int]
    calibration: JudgeCalibration
