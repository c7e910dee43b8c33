"""What an answer says, put together from its span and the spans that belong to it."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from ragvigil_monitor.conventions.all import answer_of, question_of, session_of, user_of
from ragvigil_monitor.conventions.convention import Attributes
from ragvigil_monitor.foreign.tree import Node

_SHARED: Final = ("trace_id", "span_id", "started_at", "duration_ms", "service", "service_version", "status")
_UNKNOWN: Final = ("intent", "slices", "citations", "refusal", "confidence", "regeneration_of")


def answer_id(trace_id: bytes, span_id: bytes) -> str:
    """The id of an answer whose application gave it none: `<trace id>-<span id>` in hex, the same at every reading."""
    return f"{trace_id.hex()}-{span_id.hex()}"


def answer_row(answer: Node, owned: Sequence[Node]) -> dict[str, Any]:
    """The row of `answers`. owned: the spans of the answer, itself included, in any order."""
    row = answer.row
    ordered = sorted(owned, key=lambda node: (node is not answer, node.started_at))
    return {
        **{name: row[name] for name in _SHARED},
        **dict.fromkeys(_UNKNOWN),
        "answer_id": answer_id(row["trace_id"], row["span_id"]),
        "session_id": _first(session_of, ordered),
        "user_id": _first(user_of, ordered),
        "question": _question(answer, ordered),
        "answer": answer_of(answer.attributes) or _first(answer_of, reversed(_calls(ordered))),
        "sampling_probability": 1.0,
    }


def _question(answer: Node, ordered: Sequence[Node]) -> str | None:
    """What the answer was asked; else what was searched for; else what a call was told, which is the whole prompt."""
    asked = question_of(answer.attributes) if answer.kind != "LLM" else None
    searched = (node.row["query_text"] for node in ordered if node.stage == "retrieve")
    return asked or next((text for text in searched if text), None) or _first(question_of, reversed(_calls(ordered)))


def _calls(nodes: Iterable[Node]) -> list[Node]:
    return [node for node in nodes if node.kind == "LLM"]


def _first(read: Callable[[Attributes], str | None], nodes: Iterable[Node]) -> str | None:
    return next((found for node in nodes if (found := read(node.attributes))), None)
