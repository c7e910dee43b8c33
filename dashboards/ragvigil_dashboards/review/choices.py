"""What a reviewer can say, with which key, and when."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Choice:
    """key: the one to press. label: what the API stores, None to skip. rule: when it is right, in one sentence."""

    key: str
    label: str | None
    title: str
    rule: str


CHOICES: Final = (
    Choice("1", "supported", "Supported", "Every claim of the answer is in the evidence."),
    Choice("2", "partly", "Partly", "At least one claim is in the evidence and at least one is not."),
    Choice("3", "unsupported", "Unsupported", "No claim is in the evidence, or the evidence says the opposite."),
    Choice("4", "no_claim", "No claim", "The answer claims nothing: it refuses, greets or asks back."),
)
SKIP: Final = Choice("S", None, "Skip", "You cannot judge it, for example for its language.")
