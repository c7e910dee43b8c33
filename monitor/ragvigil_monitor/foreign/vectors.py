"""Which of the embedded texts of an answer is its query, so that its vector tells of drift."""

import base64
import binascii
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from ragvigil_monitor.conventions.provenance import QUERY_VECTOR
from ragvigil_monitor.foreign.tree import Node

_TEXT: Final = "embedding.embeddings.0.embedding.text"
_HALF: Final = 2
"""Bytes of a float16."""


def vector_row(answer: Node, owned: Sequence[Node], question: str | None) -> dict[str, Any] | None:
    """The row of `query_vectors`; None where no vector is there, one was taken before, or it is not known which."""
    holding = [node for node in owned if node.kind == "EMBEDDING" and QUERY_VECTOR in node.attributes]
    kept = {node: vector for node in holding if (vector := _kept(node)) is not None}
    if len(kept) < len(holding):
        return None
    query = _query(list(kept), {question, *(node.row["query_text"] for node in owned)} - {None})
    if query is None:
        return None
    norm, unit = kept[query]
    same = {name: query.row[name] for name in ("trace_id", "span_id", "started_at", "model")}
    shape = {"dimension": len(unit) // _HALF, "norm": norm, "unit_f16": unit}
    return {**same, **shape, "answer_span_id": answer.span_id}


def without_vector(node: Node) -> dict[str, object] | None:
    """The attributes of a span without the vector that it keeps; None where it keeps none."""
    kept = _kept(node)
    if kept is None:
        return None
    return {**node.attributes, QUERY_VECTOR: {"dimension": len(kept[1]) // _HALF}}


def _query(embedded: Sequence[Node], asked: set[str]) -> Node | None:
    """The first text that was searched or asked for; else the only one, unless it is known to be another."""
    ordered = sorted(embedded, key=lambda node: node.started_at)
    found = next((node for node in ordered if node.attributes.get(_TEXT) in asked), None)
    return found or (ordered[0] if len(ordered) == 1 and not (asked and _TEXT in ordered[0].attributes) else None)


def _kept(node: Node) -> tuple[float, bytes] | None:
    kept = node.attributes.get(QUERY_VECTOR)
    if not isinstance(kept, Mapping):
        return None
    norm, unit = kept.get("norm"), kept.get("unit_f16")
    if not isinstance(norm, int | float) or not math.isfinite(norm) or not isinstance(unit, str):
        return None
    try:
        halves = base64.b64decode(unit, validate=True)
    except (binascii.Error, ValueError):
        return None
    return (float(norm), halves) if halves and len(halves) % _HALF == 0 else None
