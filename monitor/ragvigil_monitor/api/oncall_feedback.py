"""What users said of answers, and how much of it found its answer."""

from dataclasses import asdict
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from ragvigil_monitor.api.auth import ServiceDep
from ragvigil_monitor.api.feedback_models import FeedbackTotal
from ragvigil_monitor.feedback import feedback_counts

router = APIRouter()


@router.get("/feedback")
def feedback(
    service: ServiceDep,
    days: Annotated[int, Query(ge=1, le=90, description="Length of the window, in days; it ends now.")] = 7,
) -> list[FeedbackTotal]:
    """What became of the feedback that was given in a window, by service and kind."""
    now = service.clock()
    found = feedback_counts(service.store, now - timedelta(days=days), now, now)
    return [FeedbackTotal(**asdict(each)) for each in found]
