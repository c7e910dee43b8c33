"""Context assembly: the texts of the best documents, cut to a budget of tokens."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.index import Hit
from ragvigil_monitor.demo.pricing import count_tokens

BUDGET_TOKENS = 900


@dataclass(frozen=True, slots=True)
class Context:
    """What the writer reads: documents in order, their length, and whether something was left out."""

    entries: tuple[Entry, ...]
    tokens: int
    truncated: bool


def assemble(hits: Sequence[Hit], entries: Mapping[str, Entry]) -> Context:
    """Take documents in order until the next one does not fit; one that is too long alone counts as cut."""
    taken: list[Entry] = []
    tokens = 0
    for entry in (entries[hit.id] for hit in hits):
        length = count_tokens(entry.text)
        if taken and tokens + length > BUDGET_TOKENS:
            break
        taken.append(entry)
        tokens += min(length, BUDGET_TOKENS)
    return Context(tuple(taken), tokens, len(taken) < len(hits) or tokens >= BUDGET_TOKENS)
