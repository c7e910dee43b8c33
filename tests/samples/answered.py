"""Answers with the texts of their documents, of which some are not carried by them."""

from datetime import datetime, timedelta
from typing import Any

import numpy as np
from tests.samples.reviews import add_exchange
from tests.samples.traffic import Traffic

from ragvigil_monitor.store import Store

DOCUMENTS = ["Shoes bought on sale can be returned within 30 days.", "Keep the original box; the label is inside."]
CARRIED = "Shoes bought on sale can be returned within 30 days [1]. Keep the original box."
HALF = "Shoes bought on sale can be returned within 30 days [1]. Refunds take another 90 weeks."
INVENTED = "Gift cards never expire. Refunds take another 90 weeks."


def insert_answers(
    store: Store,
    start: datetime,
    *,
    hours: int,
    per_hour: int = 6,
    carried: float = 1.0,
    texts: bool = True,
    seed: int = 3,
    **columns: Any,
) -> Traffic:
    """Even traffic from `start` on; a share `carried` of the answers is carried, the others are invented.

    texts: whether the application records what was answered.
    """
    sent, rng = Traffic(slow_from=start), np.random.default_rng(seed)
    for number in range(hours * per_hour):
        answer = CARRIED if rng.random() < carried else INVENTED
        said = (answer if texts else None, DOCUMENTS)
        started_at = start + timedelta(hours=(number + 0.5) / per_hour)
        add_exchange(sent, rng, started_at, "May I return shoes?", *said, **{"refusal": False, **columns})
    sent.insert(store)
    return sent
