"""How much traffic there is, and what share of it is enough."""

import math
from datetime import datetime, timedelta
from typing import Final

from ragvigil_monitor.store import Store

WEEK: Final = timedelta(days=7)
HOUR: Final = timedelta(hours=1)


def weekly_answers(store: Store, end: datetime) -> float:
    """How many answers a week there are at present, from those of the week that ends at `end`."""
    traffic = store.row("traffic_between", start=end - WEEK, end=end)
    seen_for = max(HOUR, end - traffic["first_answer_at"]) if traffic["answers"] else WEEK
    return float(traffic["answers"] * (WEEK / seen_for))


def share_of_traffic(share: float, minimum_per_week: int, answers_per_week: float) -> float:
    """The wanted share, or more where traffic is so low that a week would hold too few.

    As many as wanted come in all but 3 % of weeks when two standard deviations more are aimed at.
    """
    wanted = minimum_per_week + 2 * math.sqrt(minimum_per_week)
    enough = wanted / answers_per_week if answers_per_week > 0 else 1.0
    return min(1.0, max(share, enough))
