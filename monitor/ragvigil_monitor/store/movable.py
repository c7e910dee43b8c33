"""Which tables can be taken out and put in, and how a row is recognised that is there already."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True)
class Movable:
    """One table. meaning: what a row is, for people.

    keys: lists of columns; a row is there already if one with the same values in one of the lists is. time: the column
    by which a range of time is cut; None: it is always moved as a whole. is_telemetry: large, so that it is one file a
    day, and what is there already is looked for near its time only. left_out: columns that mean nothing elsewhere.
    becomes: the SQL of columns that are put in otherwise than they were taken out. grows_by: a row that is there gives
    way to one that has more in this column, because it only ever grows.
    """

    name: str
    meaning: str
    keys: tuple[tuple[str, ...], ...]
    time: str | None = None
    is_telemetry: bool = False
    left_out: tuple[str, ...] = ()
    becomes: Mapping[str, str] = field(default_factory=dict)
    grows_by: str | None = None


_SPAN: Final = (("trace_id", "span_id"),)
_ENCODER: Final = ("model", "dimension")

MOVABLE: Final = (
    Movable("job_watermarks", "up to when a job has judged the data", (("job",),)),
    Movable("guardrail_states", "the present state of a guardrail", (("guardrail", "series"),)),
    Movable(
        "estimates", "what a look of a signal found", (("signal", "series", "window_s", "window_end"),), "window_end"
    ),
    Movable("rate_counts", "events and answers of an hour, for a rate", (("signal", "series", "hour"),), "hour"),
    Movable("markers", "a release, model or index, and when it was seen first", (("kind", "service", "value"),)),
    Movable("alerts", "an alert: evidence, who acknowledged or silenced it", (("alert_id",),), "opened_at"),
    Movable(
        "deliveries",
        "a notification of an alert; what was still to be sent is `withheld` where it is put in",
        (("delivery_id",),),
        "created_at",
        becomes={"state": "if(state = 'pending', 'withheld', state)", "next_attempt_at": "NULL::TIMESTAMP"},
    ),
    Movable(
        "history_decisions",
        "what somebody decided about the history of a rate",
        (("guardrail", "series", "starts_at", "ends_at", "decided_at"),),
        "decided_at",
    ),
    Movable("audit", "who did what", (("happened_at", "role", "actor", "action", "subject"),), "happened_at"),
    Movable("drift_hours", "the query vectors of an hour, added up", (("hour", *_ENCODER),), "hour"),
    Movable("drift_days", "the outer products of a day's query vectors", (("day", *_ENCODER),), "day"),
    Movable("drift_day_samples", "some query vectors of a day", (("day", *_ENCODER, "digest", "trace_id"),), "day"),
    Movable("drift_references", "what query vectors are compared with", ((*_ENCODER, "version"),)),
    Movable("drift_samples", "query vectors of a reference", ((*_ENCODER, "version", "trace_id", "started_at"),)),
    Movable("drift_evidence", "a permutation test", (("window_end", "window_s", *_ENCODER),), "window_end"),
    Movable("drift_cross_checks", "its confirmation", (("window_end", "window_s", *_ENCODER),), "window_end"),
    Movable("review_rounds", "one drawing of answers for review", (("decided_at", "stratum"),), "answers_start"),
    Movable(
        "review_items", "an answer or retrieval that was drawn", (("item_id",),), "started_at", left_out=("number",)
    ),
    Movable("review_frames", "the strata that hold an item", (("item_id", "stratum"),)),
    Movable("review_leases", "who was given an item", (("lease_id",),), "leased_at"),
    Movable("review_labels", "what a reviewer said of an item", (("label_id",), ("lease_id",)), "labelled_at"),
    Movable("review_skips", "an item that a reviewer passed over", (("lease_id",),), "skipped_at"),
    Movable("relevance_labels", "what a label says of a document", (("label_id", "document_id"),)),
    Movable("relevance_outcomes", "what a relevance label means", (("item_id",),), "started_at"),
    Movable(
        "judge_scores",
        "what a judge said of an answer",
        (("trace_id", "answer_span_id", "judge", "judge_version"),),
        "started_at",
    ),
    Movable("phoenix_runs", "what went to Phoenix", (("started_at",),), "started_at", grows_by="counted_at"),
    Movable("phoenix_annotations", "labels and thumbs on their way to Phoenix", (("source", "identifier"),)),
    Movable(
        "spans_removed",
        "spans of a process that were removed for their age",
        (("instance_id", "service"),),
        grows_by="spans",
    ),
    Movable(
        "ingest_counts",
        "what became of everything received",
        (("hour", "service", "outcome"),),
        "hour",
        grows_by="items",
    ),
    Movable(
        "process_counts",
        "spans that a process began, sent and dropped",
        (("instance_id",),),
        "reported_at",
        grows_by="reported_at",
    ),
    Movable(
        "process_counts_by_hour",
        "what a process had begun, sent and dropped at the end of an hour",
        (("instance_id", "hour"),),
        "hour",
        grows_by="reported_at",
    ),
    Movable("log_events", "a log record", (("event_id",),), "occurred_at", True, ("number",)),
    Movable(
        "feedback",
        "what a user did with an answer",
        (("feedback_id",),),
        "given_at",
        left_out=("event_number",),
        becomes={"event_number": "0"},
    ),
    Movable("query_vectors", "the vector of a query", _SPAN, "started_at", True),
    Movable("spans", "a span", _SPAN, "started_at", True),
    Movable("answers", "an answer", _SPAN, "started_at", True),
)
"""In the order in which they are put in: the jobs go on when there are answers, so what they know comes first."""

STAYS: Final[Mapping[str, str]] = {
    "schema_migrations": "the schema of this file",
    "job_problems": "jobs that fail here and now",
    "file_positions": "files of this machine",
    **dict.fromkeys(
        (
            "summed_hours",
            "answer_stages",
            "latency_buckets",
            "arrivals",
            "told_hours",
            "told_libraries",
            "rate_hours",
            "rate_slices",
        ),
        "added up again from what is put in",
    ),
    **dict.fromkeys(
        ("judge_queues", "reviews_to_judge", "judged_labels"), "made again from the items, labels and scores put in"
    ),
}
"""The tables that are not moved, and what they are about."""

BY_NAME: Final = {table.name: table for table in MOVABLE}
