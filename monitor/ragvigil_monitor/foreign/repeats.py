"""What several spans tell of one step: nested instrumentations report the same call, and it must count once.

Of nested spans of one kind the deepest counts that tells what the stage is about (tokens, or documents); one that alone
tells it counts for all below it. Of several with the id of one response the first counts. The others are no stages, and
what they say of tokens and cost is given to the one that counts, where that does not know it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import REPEATED_USAGE, TAKEN_USAGE
from ragvigil_monitor.foreign.tree import Node, Trace
from ragvigil_monitor.foreign.usage import USAGE, USAGE_NOTES, Numbers, Steps, settled_usage, told

_TELLS: Final[Mapping[str, tuple[str, ...]]] = {
    "LLM": ("input_tokens", "output_tokens"),
    "EMBEDDING": ("input_tokens",),
    "RETRIEVER": ("output_documents",),
    "RERANKER": ("output_documents",),
}
"""By kind the columns that make a span the one that counts."""
Columns = dict[Node, dict[str, Any]]


def changes(trace: Trace, echoes: Collection[Node] = (), beside: Mapping[Node, Numbers] | None = None) -> Columns:
    """The columns that have to change so that each step counts once, by span; `attributes` among them are to be added.

    echoes: spans that do not count, because one elsewhere tells the same. beside: by span what its echoes tell.
    """
    echoed = {node for node in trace.all() if node in echoes}
    outer = _outer_tellers(trace)
    repeated = echoed | {each for node in trace.all() for each in _superseded(node, outer)}
    same = _same_response(trace, repeated)
    repeated |= same.keys()
    steps = Steps(_counted(trace, repeated), echoed | same.keys(), _all_beside(beside or {}, same))
    found: Columns = defaultdict(dict)
    for node in repeated:
        found[node] |= {"stage": None} if node.row["stage"] is not None else {}
    for node, said, final in settled_usage(trace, steps):
        found[node] |= _usage_columns(node, said, final)
    for node, query_text in _inherited(trace, repeated):
        found[node]["query_text"] = query_text
    return {node: columns for node, columns in found.items() if columns}


def _counted(trace: Trace, repeated: Collection[Node]) -> set[Node]:
    return {node for node in trace.all() if node.kind in _TELLS and node.row["stage"] and node not in repeated}


def _all_beside(beside: Mapping[Node, Numbers], same: Mapping[Node, Node]) -> dict[Node, Numbers]:
    found = dict(beside)
    for other, node in same.items():
        found[node] = {**told(other), **found.get(node, {})}
    return found


def _usage_columns(node: Node, said: Numbers, final: Numbers) -> dict[str, Any]:
    """The numbers that change, and what keeps those that the span said and others have, or that it has from others."""
    changed: dict[str, Any] = {name: final.get(name) for name in USAGE if node.row[name] != final.get(name)}
    kept = {name: number for name, number in said.items() if name not in final}
    taken = [name for name in final if name not in said]
    notes = {name: note for name, note in ((REPEATED_USAGE, kept), (TAKEN_USAGE, taken)) if note}
    before = {name: node.attributes[name] for name in USAGE_NOTES if name in node.attributes}
    return changed | ({"attributes": notes} if notes != before else {})


def _outer_tellers(trace: Trace) -> set[Node]:
    """Spans below which another of their kind tells what the stage is about."""
    telling = [node for node in trace.all() if node.row["stage"] and node.kind in _TELLS and _tells(node)]
    return {above for node in telling for above in node.above() if above.kind == node.kind}


def _superseded(node: Node, outer: Collection[Node]) -> Iterator[Node]:
    """Which of a span and its ancestors tell of one step what another of them tells. outer: those above a teller."""
    if node.row["stage"] is None or node.kind not in _TELLS:
        return
    for each in node.above():
        if each.kind == node.kind and each.row["stage"] is not None and (each.is_foreign or node.is_foreign):
            yield each if _counts(node, each, outer) else node


def _counts(node: Node, rather_than: Node, outer: Collection[Node]) -> bool:
    """Whether the lower of two counts. What Ragvigil's own instrumentation says goes before what others say."""
    if node.is_foreign != rather_than.is_foreign:
        return rather_than.is_foreign
    return rather_than in outer or not _tells(rather_than)


def _tells(node: Node) -> bool:
    return any(node.row[column] is not None for column in _TELLS[str(node.kind)])


def _same_response(trace: Trace, repeated: Collection[Node]) -> dict[Node, Node]:
    """Calls that tell of the response of an earlier one, and which that is."""
    first: dict[str, Node] = {}
    found = {}
    for node in trace.all():
        response = node.attributes.get(names.RESPONSE_ID)
        if node.row["stage"] != "generate" or node in repeated or not isinstance(response, str):
            continue
        if response in first and node.is_foreign:
            found[node] = first[response]
        first.setdefault(response, node)
    return found


def _inherited(trace: Trace, repeated: Collection[Node]) -> Iterator[tuple[Node, str]]:
    """Searches that do not say what was searched for, below a span of the same step that does."""
    for node in trace.all():
        if node.row["stage"] == "retrieve" and node not in repeated and node.row["query_text"] is None:
            texts = (each.row["query_text"] for each in node.above() if each in repeated)
            found = next((text for text in texts if text), None)
            if found:
                yield node, found
