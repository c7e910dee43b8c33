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
RELEVANT: Final = Choice(
    "Space", None, "Relevant", "It holds something that belongs in a correct answer to the question, a part is enough."
)
NOT_RELEVANT: Final = Choice(
    "·", None, "Not marked", "It is only about the same topic, or answers a different question, place or time."
)
RELEVANCE_KEYS: Final = (
    ("J", "or ↓ next document"),
    ("K", "or ↑ the one before"),
    ("Space", "relevant, or not"),
    ("Enter", "save and go on"),
    ("PageDown", "scroll the text"),
)
SKIP: Final = Choice(
    "S", None, "Skip", "You cannot judge it, for example for its language or because texts are missing."
)
