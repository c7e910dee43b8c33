"""What a judge is given to read: the answer, and all documents that the generator saw, uncut."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Final

from ragvigil_monitor.judges.judge import Judge, Judgement, Unscorable
from ragvigil_monitor.review.content import seen_by_generator
from ragvigil_monitor.review.passages import LONGEST_TEXT, Span, texts_by_id
from ragvigil_monitor.review.sampling import UnitKey
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.database import Row

LONGEST_EVIDENCE: Final = 1_000_000
"""Characters of all documents together."""
_LASTS_AT_MOST: Final = timedelta(hours=1)
_INSTANT: Final = timedelta(microseconds=1)
_MOST_SPANS: Final = 500
_READ_AT_ONCE: Final = 500
_SIDE_BY_SIDE: Final = timedelta(hours=6)

Answer = Mapping[str, Any]
"""trace_id, span_id, started_at, and whatever else is known of an answer."""


def judgements(store: Store, judge: Judge, answers: Sequence[Answer]) -> Iterator[tuple[Answer, Judgement]]:
    """What a judge says of each answer, in order of time."""
    for some in _batches(sorted(answers, key=lambda answer: answer["started_at"])):
        said, spans = _read(store, some)
        for answer in some:
            key = (answer["trace_id"], answer["span_id"])
            yield answer, judgement(judge, said.get(key, {}), spans.get(key, []))


def judgement(judge: Judge, said: Answer, spans: Sequence[Span]) -> Judgement:
    """The score of one answer; what makes it unscorable is looked for before the judge reads it.

    said: its `answer` and `refusal`, empty where it is no longer stored.
    """
    answer = said.get("answer")
    if said.get("refusal"):
        return Judgement(reason=Unscorable.REFUSAL)
    if answer is None:
        return Judgement(reason=Unscorable.NO_ANSWER_TEXT)
    seen = seen_by_generator(spans)
    if seen is None:
        return Judgement(reason=Unscorable.NO_DOCUMENTS)
    texts = texts_by_id(spans)
    recorded = [texts[id_] for id_ in seen if id_ in texts]
    if len(recorded) < len(seen):
        return Judgement(reason=Unscorable.NO_DOCUMENT_TEXTS)
    if len(answer) > LONGEST_TEXT or sum(map(len, recorded)) > LONGEST_EVIDENCE:
        return Judgement(reason=Unscorable.TOO_LONG)
    return judge.score(answer, recorded)


def _batches(ordered: Sequence[Answer]) -> Iterator[list[Answer]]:
    """Answers that lie side by side in the store, and not too many texts at once."""
    batch: list[Answer] = []
    for answer in ordered:
        if batch and (len(batch) == _READ_AT_ONCE or answer["started_at"] - batch[0]["started_at"] > _SIDE_BY_SIDE):
            yield batch
            batch = []
        batch.append(answer)
    if batch:
        yield batch


def _read(store: Store, some: Sequence[Answer]) -> tuple[dict[UnitKey, Row], dict[UnitKey, list[Row]]]:
    """What each answer said, and its spans; `some` is in order of time."""
    asked: dict[str, Any] = {
        "trace_ids": sorted({answer["trace_id"] for answer in some}),
        "start": some[0]["started_at"],
    }
    newest: datetime = some[-1]["started_at"]
    said = store.rows("said_in_answers", end=newest + _INSTANT, **asked)
    spans = store.rows("documents_of_answers", end=newest + _LASTS_AT_MOST, limit=_MOST_SPANS, **asked)
    grouped = groupby(spans, key=lambda row: (row["trace_id"], row["answer_span_id"]))
    return {(row["trace_id"], row["span_id"]): row for row in said}, {key: list(group) for key, group in grouped}
