"""Everything that the person on call may ask and do; one router, role oncall."""

from typing import Any

from fastapi import APIRouter, Depends

from ragvigil_monitor.api import (
    oncall_alerts,
    oncall_answers,
    oncall_completeness,
    oncall_exclusion,
    oncall_feedback,
    oncall_history,
    oncall_instrumentation,
    oncall_judges,
    oncall_review,
    oncall_signals,
    oncall_status,
)
from ragvigil_monitor.api.auth import require
from ragvigil_monitor.api.models import Problem
from ragvigil_monitor.keys import Role

REFUSALS: dict[int | str, dict[str, Any]] = {status: {"model": Problem} for status in (401, 403, 404, 422)}

router = APIRouter(
    prefix="/api/v1",
    dependencies=[Depends(require(Role.ONCALL))],
    responses=REFUSALS,
    tags=["oncall"],
)
SUBJECTS = (
    oncall_status,
    oncall_alerts,
    oncall_signals,
    oncall_answers,
    oncall_completeness,
    oncall_instrumentation,
    oncall_feedback,
    oncall_history,
    oncall_judges,
    oncall_exclusion,
    oncall_review,
)
for subject in SUBJECTS:
    router.include_router(subject.router)
