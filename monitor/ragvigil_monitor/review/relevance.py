"""Take the label of a relevance item: which of its documents are relevant to the question."""

from collections.abc import Collection
from datetime import datetime

from ragvigil_monitor.errors import AlreadyReviewed, EvidenceGone, EvidenceWithoutText, UnknownEvidence
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.labels import Relevance
from ragvigil_monitor.review.leases import REUSED_ID, must_hold, note, same
from ragvigil_monitor.review.passages import opaque, texts_by_id
from ragvigil_monitor.review.searches import found_documents, searches_of
from ragvigil_monitor.store import Store, Writer
from ragvigil_monitor.store.database import Row


def label_relevance(
    store: Store,
    item_id: str,
    lease_id: str,
    reviewer: str,
    relevant: Collection[str],
    *,
    label_id: str,
    now: datetime,
) -> datetime:
    """Store which documents are relevant, by their names in this item, and that the others are not. When it was stored.

    Nothing is stored of a document without a text: nobody could say that it is irrelevant.
    The same label sent again is answered like the first time. Raises UnknownItem, WrongKind, NotLeased,
    AlreadyReviewed, LeaseExpired, UnknownEvidence, EvidenceWithoutText or EvidenceGone; then nothing is stored.
    """
    marked = frozenset(relevant)
    summary = Relevance.RELEVANT if marked else Relevance.NONE_RELEVANT
    said = {"lease_id": lease_id, "item_id": item_id, "reviewer": reviewer, "label": summary.value}
    with store.transaction() as writer:
        before = writer.execute("review_label_by_id", label_id=label_id)
        if before:
            _must_mark_the_same(writer, before[0], marked)
            first_labelled_at: datetime = same(before[0], said)["labelled_at"]
            return first_labelled_at
        item = must_hold(writer, item_id, lease_id, reviewer, now, kind=Kind.RELEVANCE)
        read = _read(writer, item, marked)
        writer.execute("add_review_label", label_id=label_id, **said, labelled_at=now)
        writer.execute(
            "add_relevance_labels",
            label_id=label_id,
            documents=list(read.values()),
            relevant=[name in marked for name in read],
        )
        note(writer, reviewer, f"label {summary.value}, {len(marked)} of {len(read)}", item_id, now)
    return now


def _read(writer: Writer, item: Row, marked: frozenset[str]) -> dict[str, str]:
    """The documents of an item that have a text, by their names in it; all that are marked must be among them."""
    searches = searches_of(writer.execute, item)
    shown = {opaque(item["seed"], id_): id_ for id_ in found_documents(searches)}
    texts = texts_by_id(searches)
    read = {name: id_ for name, id_ in shown.items() if texts.get(id_)}
    if not read:
        raise EvidenceGone
    if unknown := marked - shown.keys():
        raise UnknownEvidence(unknown)
    if silent := marked - read.keys():
        raise EvidenceWithoutText(silent)
    return read


def _must_mark_the_same(writer: Writer, stored: Row, marked: frozenset[str]) -> None:
    item = writer.execute("review_item_by_id", item_id=stored["item_id"])[0]
    documents = writer.execute("relevant_documents_of_label", label_id=stored["label_id"])
    if {opaque(item["seed"], row["document_id"]) for row in documents} != marked:
        raise AlreadyReviewed(REUSED_ID)
