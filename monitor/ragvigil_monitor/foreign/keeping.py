"""Answers that stay what they are, whatever arrives later: somebody reviews them, or a judge has scored them."""

from collections.abc import Iterable, Mapping
from typing import Any

from ragvigil_monitor.foreign.reading import answer_id
from ragvigil_monitor.foreign.tree import Node

Row = Mapping[str, Any]


def is_found(row: Row) -> bool:
    """Whether an answer of the store is one that its application did not name."""
    found: bool = row["answer_id"] == answer_id(row["trace_id"], row["span_id"])
    return found


def keep(belongs: Mapping[Node, Node], stored: Mapping[bytes, Row]) -> dict[Node, Node]:
    """Give what belongs to an answer that would take the place of used ones to those: a call must count in one only."""
    used = [node for node in belongs if node.span_id in stored and stored[node.span_id]["is_used"]]
    kept: dict[Node, list[Node]] = {}
    for node in sorted(used, key=lambda each: each.started_at):
        if belongs[node] is not node:
            kept.setdefault(belongs[node], []).append(node)
    if not kept:
        return dict(belongs)
    return {
        node: _owner(node, answer, kept[answer], stored) if answer in kept else answer
        for node, answer in belongs.items()
    }


def _owner(node: Node, answer: Node, kept: Iterable[Node], stored: Mapping[bytes, Row]) -> Node:
    """The nearest of the kept ones above; else the answer, if it was one already; else the first that is kept."""
    candidates = list(kept)
    above = next((each for each in (node, *node.above()) if each in candidates), None)
    return above or (answer if answer.span_id in stored else candidates[0])
