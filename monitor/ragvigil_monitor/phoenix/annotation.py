"""What somebody said of an answer, as Phoenix takes it: an annotation on the answer's span."""

from dataclasses import dataclass
from typing import Any, Final

from ragvigil_monitor.review.labels import Label

NAMES: Final = {"review": "ragvigil.review", "feedback": "ragvigil.feedback"}
"""The name of the annotations from each source."""
SCORES: Final = {
    Label.SUPPORTED.value: 1.0,
    Label.PARTLY.value: 0.5,
    Label.UNSUPPORTED.value: 0.0,
    "thumbs_up": 1.0,
    "thumbs_down": 0.0,
}
"""1 is good, 0 is bad; a label that is neither has no score."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """source: review or feedback. identifier: the id of the label or feedback.

    attempts: how often it was tried. refusals: how often Phoenix said that it does not take it.
    """

    source: str
    identifier: str
    label: str
    trace_id: bytes
    span_id: bytes
    attempts: int
    refusals: int

    def as_sent(self) -> dict[str, Any]:
        """The JSON of an element of `POST /v1/span_annotations`; Phoenix updates on name, span and identifier."""
        return {
            "span_id": self.span_id.hex(),
            "name": NAMES[self.source],
            "annotator_kind": "HUMAN",
            "result": {"label": self.label, "score": SCORES.get(self.label)},
            "identifier": self.identifier,
        }
