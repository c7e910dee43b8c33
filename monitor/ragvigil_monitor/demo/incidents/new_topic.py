"""A new topic: a tenth of all questions is suddenly about one package."""

from dataclasses import dataclass, replace
from random import Random

from ragvigil_monitor.demo.incidents.incident import Incident
from ragvigil_monitor.demo.parts import Parts
from ragvigil_monitor.demo.questioner import Asker, MayRead, Question

PACKAGE = "pathlib"
"""Every team may read it."""
SHARE = 0.1


@dataclass(frozen=True, slots=True)
class _Topical:
    """Asks as `usual` does, and in a tenth of all cases about the topic instead."""

    usual: Asker
    topic: Asker

    def only_about(self, package: str) -> Asker:
        return self.usual.only_about(package)

    def ask(self, rng: Random, may_read: MayRead) -> Question:
        question = self.usual.ask(rng, may_read)
        return self.topic.ask(rng, may_read) if rng.random() < SHARE else question


def _change(parts: Parts) -> Parts:
    return replace(parts, questioner=_Topical(parts.questioner, parts.questioner.only_about(PACKAGE)))


new_topic = Incident(
    kind="new_topic",
    guardrail="query_drift",
    sentence=f"{SHARE:.0%} of all questions are about {PACKAGE}",
    change=_change,
)
