"""The incidents that are planted; a new one is a file here and a line in the list."""

from ragvigil_monitor.demo.incidents.cost_rise import cost_rise
from ragvigil_monitor.demo.incidents.incident import Incident, Planted
from ragvigil_monitor.demo.incidents.planting import changed, plant
from ragvigil_monitor.demo.incidents.slow_reranker import slow_reranker

INCIDENTS: tuple[Incident, ...] = (slow_reranker, cost_rise)
"""Every incident of the demo."""

__all__ = ["INCIDENTS", "Incident", "Planted", "changed", "cost_rise", "plant", "slow_reranker"]
