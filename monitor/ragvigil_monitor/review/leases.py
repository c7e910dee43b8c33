"""Who may answer an item, and what is written down of it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from ragvigil_monitor.errors import AlreadyReviewed, LeaseExpired, NotLeased, UnknownItem, WrongKind
from ragvigil_monitor.keys import Role
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.store import Writer
from ragvigil_monitor.store.database import Row

REUSED_ID: Final = "This id was used before, for something else. Every label needs an id of its own."
_ASKS: Final[Mapping[str, str]] = {
    Kind.ANSWER: "This item asks whether documents carry an answer: send one of its labels to …/label.",
    Kind.RELEVANCE: "This item asks which documents are relevant: send their ids to …/relevance.",
}


def must_hold(
    writer: Writer, item_id: str, lease_id: str, reviewer: str, now: datetime, *, kind: Kind | None = None
) -> Row:
    """The item, which must be of the kind and in the hands of the reviewer.

    Raises UnknownItem, WrongKind, NotLeased, AlreadyReviewed or LeaseExpired.
    """
    items = writer.execute("review_item_by_id", item_id=item_id)
    if not items:
        raise UnknownItem(item_id)
    if kind is not None and items[0]["kind"] != kind:
        raise WrongKind(_ASKS[items[0]["kind"]])
    leases = writer.execute("review_lease_by_id", lease_id=lease_id, item_id=item_id, reviewer=reviewer)
    if not leases or (leases[0]["item_id"], leases[0]["reviewer"]) != (item_id, reviewer):
        raise NotLeased("This item is not leased to you under this lease. Ask for the next one.")
    if leases[0]["is_answered"]:
        raise AlreadyReviewed("You have labelled or skipped this item already. Ask for the next one.")
    if leases[0]["expires_at"] <= now:
        raise LeaseExpired(
            f"The lease ended at {leases[0]['expires_at'].isoformat(timespec='minutes')}; the item is open to others "
            "again and nothing was stored. Ask for the next one."
        )
    return items[0]


def same(stored: Row, said: Mapping[str, Any]) -> Row:
    """What is stored, which must be what is said again; else AlreadyReviewed."""
    if any(stored[name] != value for name, value in said.items()):
        raise AlreadyReviewed(REUSED_ID)
    return stored


def note(writer: Writer, reviewer: str, action: str, item_id: str, now: datetime) -> None:
    """Write down what a reviewer did."""
    role = Role.REVIEWER.value
    writer.execute("add_audit", happened_at=now, role=role, actor=reviewer, action=action, subject=item_id)
