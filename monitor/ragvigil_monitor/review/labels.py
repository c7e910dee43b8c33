"""What a reviewer may say of an item."""

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


class Relevance(StrEnum):
    """What the marks of a relevance item come to: whether any of its documents was relevant."""

    RELEVANT = "relevant"
    NONE_RELEVANT = "none_relevant"


POSITIVE: Final = (Label.PARTLY, Label.UNSUPPORTED)
"""The labels that say that something is wrong; each of them wants the opinion of a second reviewer."""
