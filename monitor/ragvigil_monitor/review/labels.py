"""What a reviewer may say of an answer."""

from enum import StrEnum
from typing import Final


class Label(StrEnum):
    """How far the evidence carries the claims of an answer.

    `no_claim` (a refusal, a greeting, a question back) is neither right nor wrong: it is not in any denominator.
    """

    SUPPORTED = "supported"
    PARTLY = "partly"
    UNSUPPORTED = "unsupported"
    NO_CLAIM = "no_claim"


POSITIVE: Final = (Label.PARTLY, Label.UNSUPPORTED)
"""The labels that say that something is wrong; each of them wants the opinion of a second reviewer."""
