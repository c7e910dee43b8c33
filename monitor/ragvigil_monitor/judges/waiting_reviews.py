"""The reviewed answers that the judge in use has still to judge.

They wait in a queue that new items and new scores keep, so that a turn costs as much as is new, not as much as was ever
reviewed. A judge that is used for the first time, or again, is asked about everything that it has not judged.
"""

from collections.abc import Collection
from datetime import datetime
from typing import Final

import pyarrow as pa

from ragvigil_monitor.judges.judge import Judge
from ragvigil_monitor.store import Store, Writer
from ragvigil_monitor.store.database import Row

_KEY: Final = ("trace_id", "answer_span_id", "judge", "judge_version", "in_sample")


def waiting_reviews(store: Store, judge: Judge, end: datetime, *, most: int) -> list[Row]:
    """Reviewed answers from before `end` without a word of this judge, newest first."""
    named = {"judge": judge.name, "judge_version": judge.version}
    for unqueued in store.rows("reviews_not_queued", **named):
        with store.transaction() as writer:
            writer.execute("queue_reviews", **named, **unqueued)
            writer.execute("forget_other_reviews_to_judge", **named)
            writer.execute("forget_judge_queues")
            writer.execute("note_queued_reviews", **named, newest=unqueued["newest"])
    return store.rows("reviewed_answers_to_judge", end=end, most=most, **named)


def add_scores(writer: Writer, scores: pa.Table, started_at: Collection[datetime]) -> None:
    """Store what a judge said of answers that started at these times, and let go of those that waited for it.

    What came from elsewhere while it was judging stays, and is not said a second time.
    """
    if not started_at:
        return
    within = {"start": min(started_at), "end": max(started_at)}
    stored = writer.execute_with("scores_stored_before", scores, **within)
    writer.execute("forget_judged_reviews")
    writer.execute_with("add_judge_scores", _without(scores, stored) if stored else scores)
    writer.execute("add_judged_labels_of_batch", **within)


def _without(scores: pa.Table, stored: Collection[Row]) -> pa.Table:
    """Of a table of scores the rows whose keys are not among those that the store has."""
    known = {tuple(row[name] for name in _KEY) for row in stored}
    keys = zip(*(scores[name].to_pylist() for name in _KEY), strict=True)
    return scores.filter(pa.array([key not in known for key in keys], pa.bool_()))
