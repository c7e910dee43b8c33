"""How far a judge agrees with people who labelled the same answers without knowing what it said.

The judge is taken to call an answer not fully supported if its score lies below the cut. It is calibrated once people
found at least 30 such answers among those that it scored and the positive agreement is at least 0.6. Whoever reviews
oversamples bad answers, so kappa belongs to the reviewed answers, not to all.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragvigil_monitor.review.labels import POSITIVE, Label
from ragvigil_monitor.statistics.agreement import agreement
from ragvigil_monitor.store import Store

NEEDED_POSITIVES: Final = 30
NEEDED_AGREEMENT: Final = 0.6


@dataclass(frozen=True, slots=True)
class Calibration:
    """pairs: answers with a score and a label about claims; positives: those that people found not fully supported.

    kappa, positive_agreement: None where undefined. unscorable: answers that people labelled so and the judge could
    not score.
    """

    pairs: int
    positives: int
    kappa: float | None
    positive_agreement: float | None
    unscorable: int

    @property
    def is_calibrated(self) -> bool:
        """Whether enough people say the same as the judge."""
        return self.more_positives == 0 and (self.positive_agreement or 0.0) >= NEEDED_AGREEMENT

    @property
    def more_positives(self) -> int:
        """How many more answers with a fault people must find before anything can be said."""
        return max(0, NEEDED_POSITIVES - self.positives)

    @property
    def state(self) -> str:
        """`calibrated` or `uncalibrated`."""
        return "calibrated" if self.is_calibrated else "uncalibrated"


NEVER_CHECKED: Final = Calibration(0, 0, None, None, 0)


def calibration_of(store: Store, judge: str, version: str, *, cut: float, known_before: datetime) -> Calibration:
    """What the labels that were given before a time say of one version of a judge."""
    rows = store.rows("judged_labels", judge=judge, judge_version=version, known_before=known_before)
    return calibration(((row["score"], Label(row["label"])) for row in rows), cut)


def calibration(judged: Iterable[tuple[float | None, Label]], cut: float) -> Calibration:
    """From scores and labels of the same answers; those in which people saw no claim are left out.

    >>> calibration([(0.2, Label.UNSUPPORTED)] * 30 + [(1.0, Label.SUPPORTED)] * 30, 0.85).state
    'calibrated'
    """
    about_claims = [(score, label) for score, label in judged if label is not Label.NO_CLAIM]
    scored = [(score < cut, label in POSITIVE) for score, label in about_claims if score is not None]
    found = agreement(scored)
    positives = sum(is_positive for _, is_positive in scored)
    return Calibration(found.pairs, positives, found.kappa, found.positive, len(about_claims) - len(scored))
