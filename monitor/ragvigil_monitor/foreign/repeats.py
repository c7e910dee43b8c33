"""What several spans tell of one step: nested instrumentations report the same call, and it must count once.

Of nested spans of one kind the deepest counts that tells what the stage is about (tokens, or documents); of several
with the id of one response the first. The others are no stages, and what they say of tokens and cost is not added up.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from ragvigil import attributes as names
from ragvigil_monitor.foreign.tree import Node, Trace

USAGE: Final = ("input_tokens", "output_tokens", "cached_tokens", "cost_usd")
_TELLS: Final[Mapping[str, tuple[str, ...]]] = {
    "LLM": ("input_tokens", "output_tokens"),
    "EMBEDDING": ("input_tokens",),
    "RETRIEVER": ("output_documents",),
    "RERANKER": ("output_documents",),
}
"""By kind the columns that make a span the one that counts."""
_ABOVE: Final = {"CHAIN", "AGENT"}


def changes(trace: Trace, echoes: Collection[Node] = ()) -> dict[Node, dict[str, Any]]:
    """The columns that have to change so that each step counts once, by span. echoes: spans that do not count."""
    repeated = _repeated(trace, {node for node in trace.all() if node in echoes})
    found = {node: _emptied(node) for node in repeated}
    for node, query_text in _inherited(trace, repeated):
        found[node] = {"query_text": query_text}
    return {node: columns for node, columns in found.items() if columns}


def _repeated(trace: Trace, echoed: set[Node]) -> set[Node]:
    """echoed: spans that do not count, so that the other one with the same response does."""
    found = echoed | {each for node in trace.all() for each in _superseded(node)}
    return found | _same_response(trace, found)


def _superseded(node: Node) -> Iterator[Node]:
    """Which of a span and its ancestors tell of one step what another of them tells."""
    if node.row["stage"] is None or node.kind not in _TELLS:
        return
    for each in node.above():
        if each.kind == node.kind and each.row["stage"] is not None and (each.is_foreign or node.is_foreign):
            yield each if _counts(node, rather_than=each) else node
        elif each.is_foreign and each.kind in _ABOVE and _has_usage(node):
            yield each


def _counts(node: Node, *, rather_than: Node) -> bool:
    """Whether the lower of two counts. What Ragvigil's own instrumentation says goes before what others say."""
    if node.is_foreign != rather_than.is_foreign:
        return rather_than.is_foreign
    return _tells(node) >= _tells(rather_than)


def _tells(node: Node) -> bool:
    return any(node.row[column] is not None for column in _TELLS[str(node.kind)])


def _has_usage(node: Node) -> bool:
    return any(node.row[column] is not None for column in USAGE)


def _same_response(trace: Trace, repeated: Collection[Node]) -> set[Node]:
    seen: set[object] = set()
    found = set()
    for node in trace.all():
        response = node.attributes.get(names.RESPONSE_ID)
        if node.row["stage"] != "generate" or node in repeated or not isinstance(response, str):
            continue
        if response in seen and node.is_foreign:
            found.add(node)
        seen.add(response)
    return found


def _emptied(node: Node) -> dict[str, Any]:
    """Without stage, tokens and cost, where there are any."""
    emptied = ("stage", *USAGE) if node.row["stage"] is not None else USAGE
    return dict.fromkeys(emptied) if any(node.row[column] is not None for column in emptied) else {}


def _inherited(trace: Trace, repeated: Collection[Node]) -> Iterator[tuple[Node, str]]:
    """Searches that do not say what was searched for, below a span of the same step that does."""
    for node in trace.all():
        if node.row["stage"] == "retrieve" and node not in repeated and node.row["query_text"] is None:
            texts = (each.row["query_text"] for each in node.above() if each in repeated)
            found = next((text for text in texts if text), None)
            if found:
                yield node, found
