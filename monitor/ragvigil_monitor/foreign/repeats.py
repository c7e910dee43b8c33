"""What several spans tell of one step: nested instrumentations report the same call, and it must count once.

Of nested spans of one kind the deepest counts that tells what the stage is about (tokens, or documents); one that alone
tells it counts for all below it. Of several with the id of one response the first counts. The others are no stages, and
what they say of tokens and cost is given to the one that counts, where that does not know it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import REPEATED_STAGE, REPEATED_USAGE, TAKEN_USAGE
from ragvigil_monitor.foreign.tree import Node, Trace
from ragvigil_monitor.foreign.usage import USAGE, Numbers, Steps, settled_usage, told

_TELLS: Final[Mapping[str, tuple[str, ...]]] = {
    "LLM": ("input_tokens", "output_tokens"),
    "EMBEDDING": ("input_tokens",),
    "RETRIEVER": ("output_documents",),
    "RERANKER": ("output_documents",),
}
"""By kind the columns that make a span the one that counts."""
NOTES: Final = (REPEATED_STAGE, REPEATED_USAGE, TAKEN_USAGE)
"""Attributes that keep what a span told, so that a trace is judged again from that when more of it arrives."""
Columns = dict[Node, dict[str, Any]]


def changes(trace: Trace, echoes: Collection[Node] = (), beside: Mapping[Node, Numbers] | None = None) -> Columns:
    """The columns that have to change so that each step counts once, by span; `attributes` among them are to be added.

    echoes: spans that do not count, because one elsewhere tells the same. beside: by span what its echoes tell.
    """
    echoed = {node for node in trace.all() if node in echoes}
    nested = _nested(trace)
    same = _same_response(trace, nested, echoed)
    repeated = echoed | nested.keys() | same.keys()
    steps = Steps(_counted(trace, repeated), echoed | same.keys(), _all_beside(beside or {}, same))
    found: Columns = {}
    for node, final in settled_usage(trace, steps):
        said = {**(beside or {}).get(node, {}), **told(node)}
        found[node] = _stage_columns(node, repeated) | _usage_columns(node, final)
        notes = _usage_notes(said, final) | _stage_note(node, repeated - echoed)
        if notes != {name: node.attributes[name] for name in NOTES if name in node.attributes}:
            found[node]["attributes"] = notes
    for node, query_text in _inherited(trace, repeated):
        found[node]["query_text"] = query_text
    return {node: columns for node, columns in found.items() if columns}


def _counted(trace: Trace, repeated: Collection[Node]) -> set[Node]:
    return {node for node in trace.all() if node.kind in _TELLS and node.stage and node not in repeated}


def _all_beside(beside: Mapping[Node, Numbers], same: Mapping[Node, Node]) -> dict[Node, Numbers]:
    found = dict(beside)
    for other, node in same.items():
        found[node] = {**told(other), **found.get(node, {})}
    return found


def _stage_columns(node: Node, repeated: Collection[Node]) -> dict[str, Any]:
    """The stage where it changes: of a span that was found to repeat another it may be given back."""
    stage = None if node in repeated else node.stage
    return {} if stage == node.row["stage"] else {"stage": stage}


def _stage_note(node: Node, repeated: Collection[Node]) -> dict[str, Any]:
    """What keeps the stage of a span that repeats another of its trace; of other traces less is known the next time."""
    return {REPEATED_STAGE: node.stage} if node in repeated and node.stage is not None else {}


def _usage_columns(node: Node, final: Numbers) -> dict[str, Any]:
    return {name: final.get(name) for name in USAGE if node.row[name] != final.get(name)}


def _usage_notes(said: Numbers, final: Numbers) -> dict[str, Any]:
    """What keeps the numbers that a span said and others have, and names those that it has from others."""
    kept = {name: number for name, number in said.items() if name not in final}
    taken = [name for name in final if name not in said]
    return {name: note for name, note in ((REPEATED_USAGE, kept), (TAKEN_USAGE, taken)) if note}


def _giving_way(trace: Trace) -> set[Node]:
    """Spans that do not tell what the stage is about, or below which another of their kind does."""
    staged = [node for node in trace.all() if node.stage is not None and node.kind in _TELLS]
    telling = [node for node in staged if _tells(node)]
    outer = {above for node in telling for above in node.above() if above.kind == node.kind}
    return outer.union(staged).difference(node for node in telling if node not in outer)


def _nested(trace: Trace) -> dict[Node, Node]:
    """Spans that tell of the step of one above or below them, and the first that counts for each."""
    giving_way = _giving_way(trace)
    found: dict[Node, Node] = {}
    for node in trace.all():
        for superseded, counting in _superseded(node, giving_way):
            found.setdefault(superseded, counting)
    return {node: _last(node, found) for node in found}


def _last(node: Node, rather: Mapping[Node, Node]) -> Node:
    while node in rather:
        node = rather[node]
    return node


def _superseded(node: Node, giving_way: Collection[Node]) -> Iterator[tuple[Node, Node]]:
    """Pairs of a span and an ancestor that tell of one step, the one that counts last."""
    if node.stage is None or node.kind not in _TELLS:
        return
    for each in node.above():
        if each.kind == node.kind and each.stage is not None and (each.is_foreign or node.is_foreign):
            yield (each, node) if _counts(node, each, giving_way) else (node, each)


def _counts(node: Node, rather_than: Node, giving_way: Collection[Node]) -> bool:
    """Whether the lower of two counts. What Ragvigil's own instrumentation says goes before what others say."""
    if node.is_foreign != rather_than.is_foreign:
        return rather_than.is_foreign
    return rather_than in giving_way


def _tells(node: Node) -> bool:
    """Whether it did itself; its row may meanwhile have numbers of others, or lack its own."""
    known = {**node.row, **dict.fromkeys(USAGE), **told(node)}
    return any(known[column] is not None for column in _TELLS[str(node.kind)])


def _same_response(trace: Trace, nested: Mapping[Node, Node], echoed: Collection[Node]) -> dict[Node, Node]:
    """Spans of calls that tell of the response of an earlier one, and which call that is.

    A call is a span that counts, with those that tell of it above and below: an id that any of them knows is its id.
    """
    first: dict[object, Node] = {}
    found: dict[Node, Node] = {}
    for node, ids in _response_ids(trace, nested, echoed).items():
        earlier = next((first[each] for each in ids if each in first), None)
        if earlier is not None and node.is_foreign:
            found[node] = earlier
        for each in ids:
            first.setdefault(each, found.get(node, node))
    return found | {node: found[counting] for node, counting in nested.items() if counting in found}


def _response_ids(trace: Trace, nested: Mapping[Node, Node], echoed: Collection[Node]) -> dict[Node, list[str]]:
    """By the span that counts for a call the ids of its response, in the order of the trace."""
    found: defaultdict[Node, list[str]] = defaultdict(list)
    for node in trace.all():
        counting, response = nested.get(node, node), node.attributes.get(names.RESPONSE_ID)
        if counting.stage == "generate" and counting not in echoed and isinstance(response, str):
            found[counting].append(response)
    return found


def _inherited(trace: Trace, repeated: Collection[Node]) -> Iterator[tuple[Node, str]]:
    """Searches that do not say what was searched for, below a span of the same step that does."""
    for node in trace.all():
        if node.stage == "retrieve" and node not in repeated and node.row["query_text"] is None:
            texts = (each.row["query_text"] for each in node.above() if each in repeated)
            found = next((text for text in texts if text), None)
            if found:
                yield node, found
