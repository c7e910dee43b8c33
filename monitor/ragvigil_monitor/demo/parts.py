"""The parts of the app that an incident may exchange; everything else is the same for good."""

from collections.abc import Callable
from dataclasses import dataclass

from ragvigil.predicates import Clause
from ragvigil_monitor.demo.answerer import Writer
from ragvigil_monitor.demo.latency import Latency
from ragvigil_monitor.demo.pricing import Prices
from ragvigil_monitor.demo.questioner import Asker
from ragvigil_monitor.demo.reactions import Habits
from ragvigil_monitor.demo.reranker import Reranker


@dataclass(frozen=True, slots=True, repr=False)
class Parts:
    """What users ask, how the app treats it, how long that takes, what it costs, and how users react."""

    questioner: Asker
    extract: Callable[[str], tuple[Clause, ...]]
    reranker: Reranker
    answerer: Writer
    latency: Latency
    prices: Prices
    habits: Habits
