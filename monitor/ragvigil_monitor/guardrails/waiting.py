"""What guardrails say before their first look, and when that is."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.sentence import NO_ANSWER_YET
from ragvigil_monitor.settings import Settings

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def first_look_at(guardrail: Guardrail[Any], settings: Settings, first_answer_at: datetime) -> datetime:
    """When the first window that ends after an answer is judged."""
    every = timedelta(seconds=guardrail.every_s(settings))
    first_end = _EPOCH + every * ((first_answer_at - _EPOCH) // every + 1)
    return first_end + timedelta(seconds=guardrail.matures_s(settings) + settings.schedule.lateness_s)


def waiting_sentences(
    guardrail: Guardrail[Any], settings: Settings, first_answer_at: datetime | None, now: datetime
) -> Mapping[str, str]:
    """What each guarded series waits for: the first answer, or else the first look."""
    sentences = guardrail.waiting(settings)
    if first_answer_at is None:
        return sentences
    due = max(now, first_look_at(guardrail, settings, first_answer_at)).astimezone(UTC)
    reason = f"The first look follows at {due:%Y-%m-%d %H:%M} UTC"
    return {series: reason + said.removeprefix(NO_ANSWER_YET) for series, said in sentences.items()}
