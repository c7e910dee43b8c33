"""Give items to reviewers, one at a time, and take their labels. Nothing is ever changed or removed."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from ragvigil_monitor.review.content import Content, content_of
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.labels import POSITIVE, Label
from ragvigil_monitor.review.leases import must_hold, note, same
from ragvigil_monitor.review.serving import choose
from ragvigil_monitor.settings import Review
from ragvigil_monitor.store import Store, Writer
from ragvigil_monitor.store.database import Row

_POSITIVE: Final = [label.value for label in POSITIVE]


@dataclass(frozen=True, slots=True)
class Lease:
    """An item in the hands of one reviewer until `expires_at`."""

    lease_id: str
    item_id: str
    kind: Kind
    expires_at: datetime
    content: Content


@dataclass(frozen=True, slots=True)
class Progress:
    """What one reviewer did, and how many open items they could be given, without telling first labels from second."""

    labelled: int
    labelled_today: int
    skipped_today: int
    waiting: int


def lease_next(
    store: Store, settings: Review, reviewer: str, *, resume: bool, now: datetime, kind: Kind | None = None
) -> Lease | None:
    """Give a reviewer the next item; None while nothing waits.

    resume: give back first what they hold unanswered, for example after a page was closed. kind: None takes both in
    turns.
    """
    with store.transaction() as writer:
        held = _held(writer, reviewer, kind, now) if resume else None
        chosen = held or _next(writer, settings, reviewer, kind, now)
        if chosen is None:
            return None
        item_id, stratum = chosen
        lease_id, expires_at = secrets.token_hex(16), now + timedelta(minutes=settings.lease_min)
        writer.execute(
            "add_review_lease",
            lease_id=lease_id,
            item_id=item_id,
            reviewer=reviewer,
            stratum=stratum,
            leased_at=now,
            expires_at=expires_at,
        )
        item = writer.execute("review_item_by_id", item_id=item_id)[0]
    return Lease(lease_id, item_id, Kind(item["kind"]), expires_at, content_of(store, item))


def label(
    store: Store, item_id: str, lease_id: str, reviewer: str, given: Label, *, label_id: str, now: datetime
) -> datetime:
    """Store what is said of an answer, once; the same label sent again is answered like the first time. When it was.

    Raises UnknownItem, WrongKind, NotLeased, AlreadyReviewed or LeaseExpired; then nothing is stored.
    """
    said = {"lease_id": lease_id, "item_id": item_id, "reviewer": reviewer, "label": given.value}
    with store.transaction() as writer:
        before = writer.execute("review_label_by_id", label_id=label_id)
        if before:
            first_labelled_at: datetime = same(before[0], said)["labelled_at"]
            return first_labelled_at
        item = must_hold(writer, item_id, lease_id, reviewer, now, kind=Kind.ANSWER)
        writer.execute("add_review_label", label_id=label_id, **said, labelled_at=now)
        writer.execute("add_judged_labels", start=item["started_at"], end=item["started_at"])
        note(writer, reviewer, f"label {given.value}", item_id, now)
    return now


def skip(store: Store, item_id: str, lease_id: str, reviewer: str, *, now: datetime) -> None:
    """Pass an item over for good: it counts as missing. The same skip sent again changes nothing.

    Raises UnknownItem, NotLeased, AlreadyReviewed or LeaseExpired; then nothing is stored.
    """
    with store.transaction() as writer:
        before = writer.execute("review_skip_by_lease", lease_id=lease_id)
        if before:
            same(before[0], {"item_id": item_id, "reviewer": reviewer})
            return
        must_hold(writer, item_id, lease_id, reviewer, now)
        writer.execute("add_review_skip", item_id=item_id, lease_id=lease_id, reviewer=reviewer, skipped_at=now)
        note(writer, reviewer, "skip", item_id, now)


def progress_of(store: Store, settings: Review, reviewer: str, now: datetime, *, kind: Kind | None = None) -> Progress:
    """How far a reviewer is; kind: of which items the waiting ones are counted, None for both."""
    since = {"reviewer": reviewer, "since": _midnight(now)}
    return Progress(
        **store.row("review_progress_of", **since),
        **store.row("review_skips_since", **since),
        **_count_waiting(store, settings, reviewer, kind, now),
    )


def _count_waiting(store: Store, settings: Review, reviewer: str, kind: Kind | None, now: datetime) -> Row:
    """The items that this reviewer could be given."""
    open_items = {"open_since": _open_since(settings, now), "now": now}
    if kind == Kind.RELEVANCE:
        return store.row("relevance_items_waiting", **open_items)
    asked = {"kind": kind and kind.value, "reviewer": reviewer, "positive": _POSITIVE}
    return store.row("review_items_waiting", **asked, **open_items)


def _next(writer: Writer, settings: Review, reviewer: str, kind: Kind | None, now: datetime) -> tuple[str, str] | None:
    served = writer.execute("review_served_since", since=_midnight(now), reviewer=reviewer)
    return choose(
        _waiting(writer, settings, reviewer, kind, now),
        {row["stratum"]: row["served"] for row in served},
        settings.uniform_serving_share,
        served_to_reviewer=sum(row["served_to_reviewer"] for row in served),
    )


def _waiting(writer: Writer, settings: Review, reviewer: str, kind: Kind | None, now: datetime) -> dict[str, str]:
    """The next item of each stratum: the one that it would have taken first, for a first or a second label."""
    open_items = {"open_since": _open_since(settings, now), "now": now}
    rows = writer.execute("review_items_next", kind=kind and kind.value, **open_items)
    if kind != Kind.RELEVANCE:
        rows += writer.execute("review_items_for_second", reviewer=reviewer, positive=_POSITIVE, **open_items)
    last_first = sorted(rows, key=lambda row: row["priority"], reverse=True)
    return {row["stratum"]: row["item_id"] for row in last_first}


def _held(writer: Writer, reviewer: str, kind: Kind | None, now: datetime) -> tuple[str, str] | None:
    rows = writer.execute("review_lease_held", reviewer=reviewer, kind=kind and kind.value, now=now)
    return (rows[0]["item_id"], rows[0]["stratum"]) if rows else None


def _open_since(settings: Review, now: datetime) -> datetime:
    return now - timedelta(days=settings.open_days)


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
