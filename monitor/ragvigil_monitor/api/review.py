"""What a reviewer may do: take an item, label it or pass it over, see how far they are. One router, role reviewer."""

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from ragvigil_monitor.api.auth import ServiceDep, require
from ragvigil_monitor.api.models import Problem
from ragvigil_monitor.api.review_models import (
    Labelled,
    Labelling,
    Marking,
    NextItem,
    Reviewer,
    ReviewEvidence,
    ReviewItem,
    ReviewProgress,
    Served,
    Skipping,
)
from ragvigil_monitor.keys import Role
from ragvigil_monitor.review import queue
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.relevance import label_relevance
from ragvigil_monitor.service import Service

REFUSALS: dict[int | str, dict[str, Any]] = {status: {"model": Problem} for status in (401, 403, 404, 409, 410, 422)}

router = APIRouter(
    prefix="/api/v1/review",
    dependencies=[Depends(require(Role.REVIEWER))],
    responses=REFUSALS,
    tags=["review"],
)


@router.post("/next")
def next_item(service: ServiceDep, body: NextItem) -> Served:
    """Lease one item to a reviewer."""
    now = service.review_time()
    lease = queue.lease_next(
        service.store, service.settings.review, body.reviewer, resume=body.resume, now=now, kind=body.kind
    )
    return Served(item=None if lease is None else _item(lease), progress=_progress(service, body.reviewer, body.kind))


@router.post("/items/{item_id}/label")
def label_item(service: ServiceDep, item_id: str, body: Labelling) -> Labelled:
    """Label an answer; 404 unknown item, 409 not leased or already answered, 410 after the end of the lease."""
    labelled_at = queue.label(
        service.store,
        item_id,
        body.lease_id,
        body.reviewer,
        body.label,
        label_id=str(body.label_id),
        now=service.review_time(),
    )
    return Labelled(label_id=body.label_id, labelled_at=labelled_at)


@router.post("/items/{item_id}/relevance")
def mark_relevance(service: ServiceDep, item_id: str, body: Marking) -> Labelled:
    """Mark the relevant documents of a relevance item; refused like a label, 422 for ids that it does not show."""
    labelled_at = label_relevance(
        service.store,
        item_id,
        body.lease_id,
        body.reviewer,
        body.relevant,
        label_id=str(body.label_id),
        now=service.review_time(),
    )
    return Labelled(label_id=body.label_id, labelled_at=labelled_at)


@router.post("/items/{item_id}/skip", status_code=204)
def skip_item(service: ServiceDep, item_id: str, body: Skipping) -> Response:
    """Pass an item over for good; refused like a label."""
    queue.skip(service.store, item_id, body.lease_id, body.reviewer, now=service.review_time())
    return Response(status_code=204)


@router.get("/progress")
def progress(service: ServiceDep, reviewer: Annotated[Reviewer, Query()], kind: Kind | None = None) -> ReviewProgress:
    """How far a reviewer is; with a kind, only its items are counted as waiting."""
    return _progress(service, reviewer, kind)


def _progress(service: Service, reviewer: str, kind: Kind | None) -> ReviewProgress:
    found = queue.progress_of(service.store, service.settings.review, reviewer, service.review_time(), kind=kind)
    return ReviewProgress(**asdict(found))


def _item(lease: queue.Lease) -> ReviewItem:
    return ReviewItem(
        kind=lease.kind,
        item_id=lease.item_id,
        lease_id=lease.lease_id,
        expires_at=lease.expires_at,
        question=lease.content.question,
        answer=lease.content.answer,
        evidence=[ReviewEvidence(id=passage.id, text=passage.text) for passage in lease.content.evidence],
    )
