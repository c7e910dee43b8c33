"""The reviewed answers that the judge in use has still to judge.

They wait in a queue that new items and new scores keep, so that a turn costs as much as is new, not as much as was ever
reviewed. A judge that is used for the first time, or again, is asked about everything that it has not judged.
"""

from collections.abc import Collection
from datetime import datetime

import pyarrow as pa

from ragvigil_monitor.judges.judge import Judge
from ragvigil_monitor.store import Store, Writer
from ragvigil_monitor.store.database import Row


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
    """Store what a judge said of answers that started at these times, and let go of those that waited for it."""
    if not started_at:
        return
    writer.execute_with("add_judge_scores", scores)
    writer.execute("forget_judged_reviews")
    writer.execute("add_judged_labels_of_batch", start=min(started_at), end=max(started_at))
