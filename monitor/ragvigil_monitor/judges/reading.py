"""What a judge is given to read: the answer, and the documents that the generator saw, as a reviewer sees them."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Final

from ragvigil_monitor.judges.judge import Judge, Judgement, Unscorable
from ragvigil_monitor.review.content import evidence
from ragvigil_monitor.review.passages import LONGEST_TEXT, Span
from ragvigil_monitor.review.sampling import UnitKey
from ragvigil_monitor.store import Store

LONGEST_EVIDENCE: Final = 1_000_000
"""Characters of all documents together."""
_LASTS_AT_MOST: Final = timedelta(hours=1)
_MOST_SPANS: Final = 500


def judgements(store: Store, judge: Judge, answers: Sequence[Mapping[str, Any]]) -> list[Judgement]:
    """One judgement an answer, in their order; each has trace_id, span_id, started_at, refusal and answer."""
    spans = _spans_of(store, answers)
    return [judgement(judge, answer, spans.get((answer["trace_id"], answer["span_id"]), [])) for answer in answers]


def judgement(judge: Judge, answer: Mapping[str, Any], spans: Sequence[Span]) -> Judgement:
    """The score of one answer; what makes it unscorable is looked for before the judge reads it."""
    if answer["refusal"]:
        return Judgement(reason=Unscorable.REFUSAL)
    if answer["answer"] is None:
        return Judgement(reason=Unscorable.NO_ANSWER_TEXT)
    texts = [passage.text for passage in evidence(spans, b"")]
    if not texts:
        return Judgement(reason=Unscorable.NO_DOCUMENTS)
    recorded = [text for text in texts if text is not None]
    if len(recorded) < len(texts):
        return Judgement(reason=Unscorable.NO_DOCUMENT_TEXTS)
    if len(answer["answer"]) > LONGEST_TEXT or sum(map(len, recorded)) > LONGEST_EVIDENCE:
        return Judgement(reason=Unscorable.TOO_LONG)
    return judge.score(answer["answer"], recorded)


def _spans_of(store: Store, answers: Sequence[Mapping[str, Any]]) -> dict[UnitKey, list[Span]]:
    found: dict[UnitKey, list[Span]] = {}
    for start, some in _by_hour(answers):
        rows = store.rows(
            "documents_of_answers",
            trace_ids=sorted({answer["trace_id"] for answer in some}),
            start=start,
            end=max(answer["started_at"] for answer in some) + _LASTS_AT_MOST,
            limit=_MOST_SPANS,
        )
        grouped = groupby(rows, key=lambda row: (row["trace_id"], row["answer_span_id"]))
        found |= {key: list(spans) for key, spans in grouped}
    return found


def _by_hour(answers: Iterable[Mapping[str, Any]]) -> list[tuple[datetime, list[Mapping[str, Any]]]]:
    """Answers of the same hour together: their spans lie side by side in the store."""
    ordered = sorted(answers, key=lambda answer: answer["started_at"])
    hours = groupby(ordered, key=lambda answer: answer["started_at"].replace(minute=0, second=0, microsecond=0))
    return [(some[0]["started_at"], some) for _, group in hours if (some := list(group))]
