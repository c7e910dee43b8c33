"""The job that lets the judge score answers: a random sample of all, and besides those that people review.

An answer is judged an hour after its start, when its stages are in, or when it is drawn for review. It is in the sample
if u < p, with u a hash under the salt of the review that is independent of the review's own draws, and p the configured
share, raised at low traffic and lowered at high traffic. An answer that counts for the estimate is in the sample, never
one that is judged only because it is reviewed: those are more often bad ones. Each hour is looked at again up to a day
later, for answers that had arrived late.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final

import pyarrow as pa

from ragvigil_monitor.job import Job, Turn, Write
from ragvigil_monitor.judges.judge import MEASURES, Judge
from ragvigil_monitor.judges.reading import Answer, judgements
from ragvigil_monitor.judges.registry import judge_of
from ragvigil_monitor.judges.waiting_reviews import add_scores, waiting_reviews
from ragvigil_monitor.marker_kinds import MEASUREMENT
from ragvigil_monitor.review.salt import Salt
from ragvigil_monitor.review.traffic import HOUR, share_of_traffic, weekly_answers
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import JudgeSettings
from ragvigil_monitor.store import Store, Writer

MATURES_S: Final = 3600.0
"""After its hour all stages of an answer have been recorded."""
_AGAIN_H: Final = (1, 5, 23)
"""Hours after which an hour is looked at again."""
_MOST_REVIEWED: Final = 500
"""In one turn; the others follow."""
_PURPOSE: Final = "judge sample"
_TIME: Final = pa.timestamp("us")
_SCORES: Final = pa.schema(
    {
        "trace_id": pa.binary(),
        "answer_span_id": pa.binary(),
        "started_at": _TIME,
        "judge": pa.string(),
        "judge_version": pa.string(),
        "score": pa.float64(),
        "reason": pa.string(),
        "in_sample": pa.bool_(),
        "inclusion_probability": pa.float64(),
        "judged_at": _TIME,
    }
)


def judge_answers(service: Service, turn: Turn) -> Write:
    """Score the sample of each hour that ends at `turn.ends`, and what is reviewed of the time before."""
    store, settings, salt = service.store, service.settings.judge, Salt.of(service)
    judge = judge_of(service.settings)
    sampled = [each for end in turn.ends for each in _sample(store, settings, salt, end)]
    late = list(_late(store, settings, salt, turn.ends))
    reviewed = _reviewed(store, judge, turn.ends[-1], [*sampled, *late])
    judged = [*sampled, *late, *reviewed]
    rows = [row for some in (sampled, late, reviewed) for row in _rows(store, judge, some, turn.ends[-1])]

    def write(writer: Writer) -> None:
        add_scores(writer, pa.Table.from_pylist(rows, _SCORES), [answer["started_at"] for answer in judged])
        if sampled:
            _mark(writer, judge, min(answer["started_at"] for answer in sampled))

    return write


def _mark(writer: Writer, judge: Judge, first_seen_at: datetime) -> None:
    """Note from which answer on this judge measures; the first use counts, and a late answer is none."""
    value = f"{judge.name} {judge.version}"
    writer.execute("add_marker", kind=MEASUREMENT, service=MEASURES, value=value, first_seen_at=first_seen_at)


JUDGE: Final = Job("judge_scores", int(HOUR.total_seconds()), judge_answers, most_ends=6, matures_s=MATURES_S)


def share_of_hour(settings: JudgeSettings, answers_per_week: float, answers: int) -> float:
    """The share of the answers of one hour that is scored."""
    wanted = share_of_traffic(settings.share, settings.minimum_per_week, answers_per_week)
    return min(wanted, settings.most_per_hour / answers) if answers else wanted


def _sample(store: Store, settings: JudgeSettings, salt: Salt, end: datetime) -> Iterator[Answer]:
    answers = store.rows("answers_to_review", start=end - HOUR, end=end)
    share = share_of_hour(settings, weekly_answers(store, end), len(answers))
    for answer in answers:
        if salt.uniform(_PURPOSE, answer["trace_id"], answer["span_id"]) < share:
            yield {**answer, "inclusion_probability": share * answer["sampling_probability"]}


def _late(store: Store, settings: JudgeSettings, salt: Salt, ends: Sequence[datetime]) -> Iterator[Answer]:
    """What belongs into the sample of hours that were judged before, and had not arrived then."""
    for end in sorted({end - hours * HOUR for end in ends for hours in _AGAIN_H} - set(ends)):
        rows = store.rows("answers_in_judge_sample", start=end - HOUR, end=end)
        known = {(row["trace_id"], row["answer_span_id"]) for row in rows}
        for answer in _sample(store, settings, salt, end):
            if (answer["trace_id"], answer["span_id"]) not in known:
                yield answer


def _reviewed(store: Store, judge: Judge, end: datetime, sampled: Sequence[Answer]) -> list[Answer]:
    """Reviewed answers without a word of this judge; a new version is soon as well known as the old one."""
    drawn = waiting_reviews(store, judge, end, most=_MOST_REVIEWED)
    taken = {(answer["trace_id"], answer["span_id"]) for answer in sampled}
    return [answer for answer in drawn if (answer["trace_id"], answer["span_id"]) not in taken]


def _rows(store: Store, judge: Judge, answers: Sequence[Answer], judged_at: datetime) -> Iterator[dict[str, Any]]:
    for answer, judged in judgements(store, judge, answers):
        yield {
            "trace_id": answer["trace_id"],
            "answer_span_id": answer["span_id"],
            "started_at": answer["started_at"].replace(tzinfo=None),
            "judge": judge.name,
            "judge_version": judge.version,
            "score": judged.score,
            "reason": judged.reason,
            "in_sample": "inclusion_probability" in answer,
            "inclusion_probability": answer.get("inclusion_probability"),
            "judged_at": judged_at.replace(tzinfo=None),
        }
