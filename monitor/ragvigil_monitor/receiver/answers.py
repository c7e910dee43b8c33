"""Answers: the spans that carry `ragvigil.answer.id`, and which answer a stage belongs to."""

from collections.abc import Iterable

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import ANSWER_QUESTION, ANSWER_SESSION, ANSWER_TEXT, ANSWER_USER
from ragvigil_monitor.receiver.columns import AT
from ragvigil_monitor.receiver.draft import Draft
from ragvigil_monitor.receiver.values import flag, json_text, json_value, probability, share, text
from ragvigil_monitor.telemetry_tables import Row

_TRACE, _SPAN, _PARENT, _ANSWER = (AT[name] for name in ("trace_id", "span_id", "parent_span_id", "answer_span_id"))
_SHARED = [
    AT[name] for name in ("trace_id", "span_id", "started_at", "duration_ms", "service", "service_version", "status")
]


def answer_row(draft: Draft) -> Row | None:
    """The row of `answers` that a span brings; None for a span that is no answer."""
    answer_id = draft.take(names.ANSWER_ID, text, "answer_id")
    if not answer_id:
        return None
    trace_id, span_id, *shared = (draft.row[position] for position in _SHARED)
    draft["answer_span_id"] = span_id
    return [
        trace_id,
        span_id,
        answer_id,
        *shared,
        _session(draft),
        _user(draft),
        draft.take(names.INTENT, text, "intent"),
        _slices(draft),
        _exported_or_sent(draft, ANSWER_QUESTION, names.INPUT_VALUE, "question"),
        _exported_or_sent(draft, ANSWER_TEXT, names.OUTPUT_VALUE, "answer"),
        draft.take(names.CITATIONS, json_value, "citations"),
        draft.take(names.REFUSAL, flag, "refusal"),
        draft.take(names.CONFIDENCE, share, "confidence"),
        draft.take(names.REGENERATION_OF, text, "regeneration_of"),
        draft.take(names.SAMPLING_PROBABILITY, probability, "sampling_probability") or 1.0,
    ]


def place_answer_span_id(draft: Draft) -> None:
    """Read which answer a stage says it belongs to."""
    draft["answer_span_id"] = draft.take(names.ANSWER_SPAN_ID, _span_id, "answer_span_id")


def link_by_parents(rows: Iterable[Row]) -> None:
    """Give spans without an answer the answer of their nearest ancestor in the same request, if it has one."""
    rows = list(rows)
    if all(row[_ANSWER] is not None for row in rows):
        return
    by_id = {(row[_TRACE], row[_SPAN]): row for row in rows}
    outside: set[int] = set()
    for row in rows:
        _link(row, by_id, outside)


def _link(row: Row, by_id: dict[tuple[bytes, bytes], Row], outside: set[int]) -> None:
    """Walk up to an answer, and give it to all on the way. outside: rows that are known to have none, added to."""
    path: dict[int, Row] = {}
    found: Row | None = row
    while found is not None and found[_ANSWER] is None and id(found) not in path and id(found) not in outside:
        path[id(found)] = found
        found = by_id.get((found[_TRACE], found[_PARENT]))
    if found is None or found[_ANSWER] is None:
        outside.update(path)
        return
    for passed in path.values():
        passed[_ANSWER] = found[_ANSWER]


def _span_id(value: object) -> bytes | None:
    try:
        found = bytes.fromhex(value) if isinstance(value, str) else b""
    except ValueError:
        return None
    return found if len(found) == 8 and any(found) else None


def _exported_or_sent(draft: Draft, exported: str, sent: str, name: str) -> str | None:
    """What an export says apart from the attribute that the span was sent with, which then stays as it is."""
    apart = draft.take(exported, text, name)
    return draft.take(sent, text, name) if apart is None else apart


def _session(draft: Draft) -> str | None:
    return _whose(draft, ANSWER_SESSION, names.SESSION_ID, names.CONVERSATION_ID, "session_id")


def _user(draft: Draft) -> str | None:
    return _whose(draft, ANSWER_USER, names.ENDUSER_PSEUDO_ID, names.USER_ID, "user_id")


def _whose(draft: Draft, exported: str, first: str, other: str, name: str) -> str | None:
    """As `_exported_or_sent`, of two names that a sender may use."""
    apart = draft.take(exported, text, name)
    return _either(draft, draft.take(first, text, name), other, name) if apart is None else apart


def _either(draft: Draft, first: str | None, other: str, name: str) -> str | None:
    if first is not None and draft.rest.get(other) != first:
        return first
    return draft.take(other, text, name)


def _slices(draft: Draft) -> str | None:
    found = [name for name in draft.rest if name.startswith(names.SLICE_PREFIX)]
    taken = {name.removeprefix(names.SLICE_PREFIX): draft.take(name, text, "slice") for name in found}
    return json_text({name: value for name, value in taken.items() if value is not None}) if taken else None
