"""A release whose filter extractor takes any mention of a kind for a condition."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from ragvigil.predicates import Clause, eq, relevance
from ragvigil_monitor.demo.incidents.incident import Incident
from ragvigil_monitor.demo.parts import Parts

_MENTION = re.compile(r"\ban? (function|method|class)\b")

Extract = Callable[[str], tuple[Clause, ...]]


@dataclass(frozen=True, slots=True)
class _Overzealous:
    """Extracts what `extract` does, and a condition more."""

    extract: Extract

    def __call__(self, question: str) -> tuple[Clause, ...]:
        mention = _MENTION.search(question)
        return self.extract(question) + ((relevance(eq("kind", mention[1]), origin="rule"),) if mention else ())


def _change(parts: Parts) -> Parts:
    return replace(parts, extract=_Overzealous(parts.extract))


wrong_hard_filter = Incident(
    kind="wrong_hard_filter",
    guardrail="false_exclusion",
    sentence="the filter extractor makes a condition of every wish for a kind of thing",
    change=_change,
    needs_release=True,
)
