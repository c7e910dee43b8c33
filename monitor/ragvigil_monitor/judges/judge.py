"""What a judge is, and what it says of one answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

MEASURES: Final = "faithfulness"
"""The signal whose values are scores of judges."""


class Unscorable(StrEnum):
    """Why an answer has no score. It is counted, and it is neither a good nor a bad answer."""

    NO_ANSWER_TEXT = "no_answer_text"
    """The application did not record what was answered."""
    NO_DOCUMENTS = "no_documents"
    """No stage of the answer recorded its documents. A recorded empty list is not this: nothing carries the answer."""
    NO_DOCUMENT_TEXTS = "no_document_texts"
    """At least one document was recorded without its text: it may hold what seems to be unsupported."""
    TOO_LONG = "too_long"
    """The documents are longer than a judge reads."""
    REFUSAL = "refusal"
    """The application says that it refused to answer."""
    NO_CLAIM = "no_claim"
    """The answer states nothing that could be supported: a question back, a greeting, only punctuation."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A score in [0, 1], or else the reason why there is none; exactly one of them."""

    score: float | None = None
    reason: Unscorable | None = None

    def __post_init__(self) -> None:
        """Raises ValueError unless it is one of both, and the score in its range; NaN is in no range."""
        if (self.score is None) == (self.reason is None):
            raise ValueError(f"a judgement has a score or a reason; got {self.score!r} and {self.reason!r}")
        if self.score is not None and not 0 <= self.score <= 1:
            raise ValueError(f"a score lies in [0, 1]; got {self.score!r}")


class Judge(Protocol):
    """Scores answers. version: a new one wherever the same texts may get another score."""

    @property
    def name(self) -> str:
        """What the judge is called in the settings."""

    @property
    def version(self) -> str:
        """Which judge of this name it is."""

    def score(self, answer: str, evidence: Sequence[str]) -> Judgement:
        """How far the evidence, one text a document, carries the answer: 1 wholly, 0 not at all.

        No evidence carries no claim.
        """
