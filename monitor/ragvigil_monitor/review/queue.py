"""Give items to reviewers, one at a time, and take their labels. Nothing is ever changed or removed."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from ragvigil_monitor.errors import AlreadyReviewed, LeaseExpired, NotLeased, UnknownItem
from ragvigil_monitor.keys import Role
from ragvigil_monitor.review.content import Content, content_of
from ragvigil_monitor.review.labels import POSITIVE, Label
from ragvigil_monitor.review.strata import STRATA, UNIFORM
from ragvigil_monitor.settings import Review
from ragvigil_monitor.store import Store, Writer
from ragvigil_monitor.store.database import Row

_POSITIVE: Final = [label.value for label in POSITIVE]


@dataclass(frozen=True, slots=True)
class Lease:
    """An item in the hands of one reviewer until `expires_at`."""

    lease_id: str
    item_id: str
    expires_at: datetime
    content: Content


@dataclass(frozen=True, slots=True)
class Progress:
    """What one reviewer did, and how many open items nobody has been given."""

    labelled: int
    labelled_today: int
    skipped_today: int
    waiting: int


def lease_next(store: Store, settings: Review, reviewer: str, *, resume: bool, now: datetime) -> Lease | None:
    """Give a reviewer the next item; None while nothing waits.

    resume: give back first what they hold unanswered, for example after a page was closed.
    """
    with store.transaction() as writer:
        chosen = (_held(writer, reviewer, now) if resume else None) or _next(writer, settings, reviewer, now)
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
    return Lease(lease_id, item_id, expires_at, content_of(store, item))


def label(
    store: Store, item_id: str, lease_id: str, reviewer: str, given: Label, *, label_id: str, now: datetime
) -> datetime:
    """Store a label, once; the same label sent again is answered like the first time. When it was stored.

    Raises UnknownItem, NotLeased, AlreadyReviewed or LeaseExpired; then nothing is stored.
    """
    said = {"lease_id": lease_id, "item_id": item_id, "reviewer": reviewer, "label": given.value}
    with store.transaction() as writer:
        before = writer.execute("review_label_by_id", label_id=label_id)
        if before:
            first_labelled_at: datetime = _same(before[0], said)["labelled_at"]
            return first_labelled_at
        _must_hold(writer, item_id, lease_id, reviewer, now)
        writer.execute("add_review_label", label_id=label_id, **said, labelled_at=now)
        _note(writer, reviewer, f"label {given.value}", item_id, now)
    return now


def skip(store: Store, item_id: str, lease_id: str, reviewer: str, *, now: datetime) -> None:
    """Pass an item over for good: it counts as missing. The same skip sent again changes nothing.

    Raises UnknownItem, NotLeased, AlreadyReviewed or LeaseExpired; then nothing is stored.
    """
    with store.transaction() as writer:
        before = writer.execute("review_skip_by_lease", lease_id=lease_id)
        if before:
            _same(before[0], {"item_id": item_id, "reviewer": reviewer})
            return
        _must_hold(writer, item_id, lease_id, reviewer, now)
        writer.execute("add_review_skip", item_id=item_id, lease_id=lease_id, reviewer=reviewer, skipped_at=now)
        _note(writer, reviewer, "skip", item_id, now)


def progress_of(store: Store, settings: Review, reviewer: str, now: datetime) -> Progress:
    """How far a reviewer is."""
    found = store.row(
        "review_progress_of",
        reviewer=reviewer,
        since=_midnight(now),
        open_since=_open_since(settings, now),
        now=now,
    )
    return Progress(**found)


def choose(waiting: Mapping[str, str], served: Mapping[str, int], uniform_share: float) -> tuple[str, str] | None:
    """Item and stratum to serve: the uniform stratum until it has its share, then the least served of the others.

    waiting: the next item of each stratum that has one. served: how many each got since midnight.
    """
    if not waiting:
        return None
    others = [stratum.name for stratum in STRATA if stratum.name in waiting and stratum.name != UNIFORM]
    due = served.get(UNIFORM, 0) < uniform_share * (sum(served.values()) + 1)
    if UNIFORM in waiting and (due or not others):
        return waiting[UNIFORM], UNIFORM
    least = min(others, key=lambda name: served.get(name, 0))
    return waiting[least], least


def _next(writer: Writer, settings: Review, reviewer: str, now: datetime) -> tuple[str, str] | None:
    open_since = _open_since(settings, now)
    rows = writer.execute("review_items_next", reviewer=reviewer, open_since=open_since, now=now, positive=_POSITIVE)
    served = writer.execute("review_served_since", since=_midnight(now))
    return choose(
        {row["stratum"]: row["item_id"] for row in rows},
        {row["stratum"]: row["served"] for row in served},
        settings.uniform_serving_share,
    )


def _held(writer: Writer, reviewer: str, now: datetime) -> tuple[str, str] | None:
    rows = writer.execute("review_lease_held", reviewer=reviewer, now=now)
    return (rows[0]["item_id"], rows[0]["stratum"]) if rows else None


def _must_hold(writer: Writer, item_id: str, lease_id: str, reviewer: str, now: datetime) -> None:
    if not writer.execute("review_item_by_id", item_id=item_id):
        raise UnknownItem(item_id)
    leases = writer.execute("review_lease_by_id", lease_id=lease_id)
    if not leases or (leases[0]["item_id"], leases[0]["reviewer"]) != (item_id, reviewer):
        raise NotLeased("This item is not leased to you under this lease. Ask for the next one.")
    if leases[0]["is_answered"]:
        raise AlreadyReviewed("You have labelled or skipped this item already. Ask for the next one.")
    if leases[0]["expires_at"] <= now:
        raise LeaseExpired(
            f"The lease ended at {leases[0]['expires_at'].isoformat(timespec='minutes')}; the item is open to others "
            "again and nothing was stored. Ask for the next one."
        )


def _same(stored: Row, said: Mapping[str, Any]) -> Row:
    if any(stored[name] != value for name, value in said.items()):
        raise AlreadyReviewed("This id was used before, for something else. Every label needs an id of its own.")
    return stored


def _note(writer: Writer, reviewer: str, action: str, item_id: str, now: datetime) -> None:
    role = Role.REVIEWER.value
    writer.execute("add_audit", happened_at=now, role=role, actor=reviewer, action=action, subject=item_id)


def _open_since(settings: Review, now: datetime) -> datetime:
    return now - timedelta(days=settings.open_days)


def _midnight(now: datetime) -> datetime:
    return now.replace(hour=0, minute=0, second=0, microsecond=0)
