"""How far documents came on their way from the retrieval into the answer."""

from collections.abc import Collection, Mapping, Set
from typing import Final

RETRIEVE: Final = "retrieve"
RERANK: Final = "rerank"
CONTEXT: Final = "context"
CITATION: Final = "citation"
PATH: Final = (RETRIEVE, RERANK, CONTEXT, CITATION)
"""The stages that let documents through, in the order in which they do."""
FILTER: Final = "filter"
"""Where evidence is lost that the relevance clauses of a retrieval keep out."""
KEPT: Final = "kept"
"""Said of evidence of which some is left after the last stage that was recorded."""
OUTCOMES: Final = (FILTER, *PATH, KEPT)

Recorded = Mapping[str, Set[str]]
"""What each stage let through, by document id; a stage that the application does not record is absent."""


def last_seen(document: str, recorded: Recorded) -> str | None:
    """The last stage that let a document through; None where not even the retrieval found it."""
    return next((stage for stage in reversed(PATH) if document in recorded.get(stage, ())), None)


def lost_after_retrieval(relevant: Collection[str], recorded: Recorded) -> str | None:
    """The first recorded stage after which none of the relevant documents is left, or `kept`.

    None where the retrieval found none of them. A stage without a relevant document is not blamed if one is there again
    later: it served another retrieval of the same answer.
    """
    stages = [stage for stage in PATH if stage in recorded]
    holding = [place for place, stage in enumerate(stages) if not recorded[stage].isdisjoint(relevant)]
    if not holding:
        return None
    return KEPT if holding[-1] + 1 == len(stages) else stages[holding[-1] + 1]
