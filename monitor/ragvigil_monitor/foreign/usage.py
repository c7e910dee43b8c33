"""Tokens and cost of a step, counted once: those of the deepest span that knows them, on the span that counts.

An instrumentation may know what another one, below or above it, does not; so each number is looked for by itself. What
every span said is kept, so that a trace is judged again from what was said when more of it arrives.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from ragvigil_monitor.conventions.provenance import REPEATED_USAGE, TAKEN_USAGE
from ragvigil_monitor.foreign.tree import Node, Trace

USAGE: Final = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd")
CHAINS: Final = frozenset({"CHAIN", "AGENT"})
Numbers = Mapping[str, int | float]
"""By column; one that is not known is left out."""


@dataclass(frozen=True, slots=True)
class Steps:
    """What is known of the steps of a trace.

    counted: spans that stand for a step each. elsewhere: spans whose step another one stands for, maybe in another
    trace. beside: what such spans tell, by the one that stands for their step.
    """

    counted: Collection[Node]
    elsewhere: Collection[Node] = ()
    beside: Mapping[Node, Numbers] = field(default_factory=dict)


def told(node: Node) -> Numbers:
    """What a span itself said, whatever was made of it since."""
    kept, taken = node.attributes.get(REPEATED_USAGE), node.attributes.get(TAKEN_USAGE)
    own = {name: node.row[name] for name in USAGE if not (isinstance(taken, list) and name in taken)}
    before: Mapping[str, Any] = kept if isinstance(kept, Mapping) else {}
    said = {name: before.get(name) if own.get(name) is None else own[name] for name in USAGE}
    return {name: value for name, value in said.items() if value is not None}


def settled_usage(trace: Trace, steps: Steps) -> Iterator[tuple[Node, Numbers]]:
    """Each span, with the numbers that it should have."""
    said = {node: {**steps.beside.get(node, {}), **told(node)} for node in trace.all()}
    final: defaultdict[Node, dict[str, int | float]] = defaultdict(dict)
    for column in USAGE:
        for node, number in _shared_out(said, steps, column):
            final[node][column] = final[node].get(column, 0) + number
    return ((node, final[node]) for node in said)


def _shared_out(said: Mapping[Node, Numbers], steps: Steps, column: str) -> Iterator[tuple[Node, int | float]]:
    """Which span has how much of one number: who counts and knows it, else the deepest span that does."""
    tellers = [node for node in said if column in said[node]]
    covered = {above for node in tellers for above in node.above()}
    for node in tellers:
        number = said[node][column]
        if node in steps.counted or not node.is_foreign:
            yield node, number
        elif node not in covered and node not in steps.elsewhere:
            heir = _heir(node, steps.counted)
            if column not in said[heir] if heir is not node else not _was_repeated(node):
                yield heir, number


def _was_repeated(node: Node) -> bool:
    """Whether it was found that another span, perhaps of another trace, stands for the step of a span."""
    return node.kind not in CHAINS and node.stage is None and REPEATED_USAGE in node.attributes


def _heir(node: Node, counted: Collection[Node]) -> Node:
    """The span that counts for what a span tells: above it, or the only one below; itself where there is none."""
    over = next((each for each in node.above() if each in counted and each.kind == node.kind), None)
    if over is not None:
        return over
    kind = "LLM" if node.kind in CHAINS else node.kind
    below = [each for each in node.all() if each in counted and each.kind == kind]
    return below[0] if len(below) == 1 else node
