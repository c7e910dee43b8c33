"""The incidents that are planted; a new one is a file here and a line in the list."""

from ragvigil_monitor.demo.incidents.cost_rise import cost_rise
from ragvigil_monitor.demo.incidents.incident import Incident, Planted
from ragvigil_monitor.demo.incidents.new_topic import new_topic
from ragvigil_monitor.demo.incidents.planting import changed, plant
from ragvigil_monitor.demo.incidents.regenerations import regenerations
from ragvigil_monitor.demo.incidents.slow_reranker import slow_reranker
from ragvigil_monitor.demo.incidents.unsupported_claims import unsupported_claims
from ragvigil_monitor.demo.incidents.wrong_hard_filter import wrong_hard_filter

INCIDENTS: tuple[Incident, ...] = (
    slow_reranker,
    cost_rise,
    new_topic,
    regenerations,
    wrong_hard_filter,
    unsupported_claims,
)
"""Every incident of the demo."""

__all__ = [
    "INCIDENTS",
    "Incident",
    "Planted",
    "changed",
    "cost_rise",
    "new_topic",
    "plant",
    "regenerations",
    "slow_reranker",
    "unsupported_claims",
    "wrong_hard_filter",
]
