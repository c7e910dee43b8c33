"""The parts of the app that an incident may exchange; everything else is the same for good."""

from collections.abc import Callable
from dataclasses import dataclass

from ragvigil.predicates import Clause
from ragvigil_monitor.demo.answerer import Answerer
from ragvigil_monitor.demo.intents import Questioner
from ragvigil_monitor.demo.latency import Latency
from ragvigil_monitor.demo.pricing import Prices
from ragvigil_monitor.demo.reranker import Reranker


@dataclass(frozen=True, slots=True, repr=False)
class Parts:
    """What users ask, how the app treats it, how long that takes and what it costs."""

    questioner: Questioner
    extract: Callable[[str], tuple[Clause, ...]]
    reranker: Reranker
    answerer: Answerer
    latency: Latency
    prices: Prices
