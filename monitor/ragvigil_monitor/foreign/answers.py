"""Which spans of a trace are answers, and which spans belong to each.

An answer is the root-most chain, workflow or agent in which a model was called; where there is none, what the calls
lie below: one answer for all calls of a request. Nothing else is one: no embedding of documents, no search alone.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime
from heapq import heappop, heappush
from itertools import islice
from typing import Final

from ragvigil_monitor.conventions.provenance import ENTRY_KIND
from ragvigil_monitor.foreign.tree import Node, Trace, is_entry

_CHAINS: Final = {"CHAIN", "AGENT"}
_APART: Final = {"EVALUATOR", "GUARDRAIL"}
"""Kinds below which models judge, and answer nobody."""


def owners(trace: Trace, echoes: Collection[Node] = (), *, is_complete: bool) -> dict[Node, Node]:
    """Of each span the answer that it belongs to; spans that belong to none are left out.

    echoes: calls of models that do not count. is_complete: nothing more is expected, parents neither; spans whose
    parents did not arrive are judged together, as if they had one.
    """
    calling = _calling(trace, echoes)
    found: dict[Node, Node] = {}
    orphans = [root for root in trace.roots if not is_entry(root)]
    for roots in [*([root] for root in trace.roots if is_entry(root)), *([orphans] if is_complete else [])]:
        found |= _owners_among(roots, calling)
    return found | (_stray(trace, found) if is_complete else {})


def _owners_among(roots: Sequence[Node], calling: Collection[Node]) -> dict[Node, Node]:
    answers = _answers(roots, calling)
    if len(answers) == 1:
        return {node: answers[0] for root in roots for node in root.all()}
    return {node: answer for answer in answers for node in answer.all()}


def _answers(roots: Sequence[Node], calling: Collection[Node]) -> list[Node]:
    """The answers in one tree, or in trees that have lost what they were below."""
    chains = [chain for root in roots for chain in _chains(root, calling)]
    only = roots[0] if len(roots) == 1 else None
    if len(chains) > 1 and only is not None and ENTRY_KIND in only.attributes:
        return [only]
    if chains:
        return chains
    return [root for root in roots if root.kind in {None, "LLM"} and root in calling][-1:]


def _chains(root: Node, calling: Collection[Node]) -> Iterator[Node]:
    """The topmost chains and agents in which a model is called; an agent may call one that nobody sees."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.is_foreign and node.kind in _CHAINS and (node.kind == "AGENT" or node in calling):
            yield node
        elif node.kind not in _APART:
            waiting += reversed(node.below)


def _calling(trace: Trace, echoes: Collection[Node]) -> set[Node]:
    """Calls of models, and everything that they lie below."""
    found: set[Node] = set()
    for node in trace.all():
        if node.kind == "LLM" and node.is_foreign and (node.parent or node not in echoes):
            each: Node | None = node
            while each is not None and each not in found and each.kind not in _APART:
                found.add(each)
                each = each.parent
    return found


def _stray(trace: Trace, found: dict[Node, Node]) -> dict[Node, Node]:
    """Trees whose parent was lost, begun while one answer was given: they belong to it, and are none of their own."""
    going_on = _GoingOn(answer for node, answer in found.items() if node is answer)
    strays: dict[Node, Node] = {}
    for root in trace.roots:
        if not is_entry(root):
            inside = set(root.all())
            around = list(islice((each for each in going_on.at(root.started_at) if each not in inside), 2))
            if len(around) == 1 and around[0] not in strays:
                strays |= dict.fromkeys(inside, around[0])
    return strays


class _GoingOn:
    """Which answers were being given at a time; asked for times in order."""

    def __init__(self, answers: Iterable[Node]) -> None:
        self._to_come = deque(sorted(answers, key=lambda answer: answer.started_at))
        self._begun: dict[Node, None] = {}
        self._ends: list[tuple[datetime, int, Node]] = []

    def at(self, moment: datetime) -> Iterable[Node]:
        while self._to_come and self._to_come[0].started_at <= moment:
            answer = self._to_come.popleft()
            self._begun[answer] = None
            heappush(self._ends, (answer.ended_at, len(self._to_come), answer))
        while self._ends and self._ends[0][0] < moment:
            del self._begun[heappop(self._ends)[2]]
        return self._begun
