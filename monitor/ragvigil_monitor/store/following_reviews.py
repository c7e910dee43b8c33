"""What follows from review items, labels and scores that were put in from elsewhere.

Both statements read the temporary table `incoming`, which holds them.
"""

from typing import Final

from ragvigil_monitor.store.database import Writer

_STARTED: Final = {
    "review_items": "SELECT started_at FROM incoming",
    "review_labels": "SELECT started_at FROM review_items WHERE item_id IN (SELECT item_id FROM incoming)",
    "judge_scores": "SELECT started_at FROM incoming",
}
"""By table: when the answers started that its rows are about."""


def follow_reviews(writer: Writer, table: str) -> None:
    """Note which labelled answers have scores now, and which reviewed ones need no longer wait for their judge."""
    if table not in _STARTED:
        return
    (span,) = writer.run(f"SELECT min(started_at) AS start, max(started_at) AS end FROM ({_STARTED[table]})")  # noqa: S608
    if span["start"] is not None:
        writer.execute("add_judged_labels", **span)
    if table == "judge_scores":
        writer.run(
            "DELETE FROM reviews_to_judge AS waiting USING incoming"
            " WHERE waiting.trace_id = incoming.trace_id AND waiting.span_id = incoming.answer_span_id"
            " AND waiting.judge = incoming.judge AND waiting.judge_version = incoming.judge_version"
        )
