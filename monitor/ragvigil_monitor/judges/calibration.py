"""How far a judge agrees with people who labelled the same answers without knowing what it said.

The judge is taken to call an answer not fully supported if its score lies below the cut. It is calibrated once people
found at least 30 such answers among those that it scored and the positive agreement is at least 0.6. Whoever reviews
oversamples bad answers, so kappa belongs to the reviewed answers, not to all.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from ragvigil_monitor.review.labels import POSITIVE, Label
from ragvigil_monitor.statistics.agreement import agreement_of_table
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
    named = {"judge": judge, "judge_version": version}
    rows = store.rows("judged_label_counts", **named, cut=cut, known_before=known_before)
    return calibration((row["is_below"], Label(row["label"]), row["n"]) for row in rows)


def calibration(judged: Iterable[tuple[bool | None, Label, int]]) -> Calibration:
    """From whether the score of an answer lies below the cut (None without one), its label, and how many are so.

    Those in which people saw no claim are left out.

    >>> calibration([(True, Label.UNSUPPORTED, 30), (False, Label.SUPPORTED, 30)]).state
    'calibrated'
    """
    scored: Counter[tuple[bool, bool]] = Counter()
    unscorable = 0
    for is_below, label, n in judged:
        if label is Label.NO_CLAIM:
            continue
        if is_below is None:
            unscorable += n
        else:
            scored[is_below, label in POSITIVE] += n
    found = agreement_of_table(scored)
    positives = sum(n for (_, is_positive), n in scored.items() if is_positive)
    return Calibration(found.pairs, positives, found.kappa, found.positive, unscorable)
