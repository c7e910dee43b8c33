"""The application's limits on attributes, applied so that what matters most is lost last."""

import re
from typing import Final, TypeVar

from ragvigil import attributes as names

V = TypeVar("V")

_PREFIXES: Final = (names.RETRIEVAL_DOCUMENTS, names.RERANKER_INPUT_DOCUMENTS, names.RERANKER_OUTPUT_DOCUMENTS)
_FLATTENED: Final = re.compile(rf"(?:{'|'.join(map(re.escape, _PREFIXES))})\.(\d+)\.", re.ASCII)


def limited(attributes: dict[str, V], most: int | None) -> dict[str, V]:
    """At most `most` attributes, in their order; None is no limit.

    Flattened documents go first, the worst ranked before all others (their ids and scores are in one JSON attribute
    too), then the oldest attributes, as in the SDK: what the monitor judges is written last.
    """
    if most is None or len(attributes) <= most:
        return attributes
    ranks = {key: int(found[1]) for key in attributes if (found := _FLATTENED.match(key))}
    by_loss = [*sorted(ranks, key=lambda key: -ranks[key]), *[key for key in attributes if key not in ranks]]
    kept = set(_whole_documents(by_loss, ranks, len(attributes) - most))
    return {key: value for key, value in attributes.items() if key in kept}


def _whole_documents(by_loss: list[str], ranks: dict[str, int], excess: int) -> list[str]:
    """Leave out the first `excess`, and the rest of a document of which a part went."""
    last = ranks.get(by_loss[excess - 1])
    while last is not None and excess < len(by_loss) and ranks.get(by_loss[excess]) == last:
        excess += 1
    return by_loss[excess:]
