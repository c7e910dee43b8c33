"""What the pages read of the API's answers about answers of the application."""

from datetime import datetime
from typing import Any

from ragvigil_dashboards.read import Read


class AnswerRow(Read):
    """One answer in a list."""

    trace_id: str
    started_at: datetime
    duration_ms: float | None
    cost_usd: float | None
    service: str
    service_version: str | None
    intent: str | None
    status: str
    question: str | None
    stage_duration_ms: float | None
    stage_cost_usd: float | None
    phoenix_url: str | None = None


class Document(Read):
    """One document in a stage's list."""

    id: str
    score: float | None


class StageSpan(Read):
    """One span of an answer; a list of documents is None where it was not recorded."""

    span_id: str
    parent_span_id: str | None
    name: str
    kind: str | None
    stage: str | None
    offset_ms: float
    duration_ms: float | None
    status: str
    status_message: str | None
    service: str
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    time_to_first_token_ms: float | None
    top_k: int | None
    query_text: str | None
    filter_state: str | None
    filter_in_words: list[str]
    input_documents: list[Document] | None
    output_documents: list[Document] | None
    context_tokens: int | None
    context_truncated: bool | None
    attributes: dict[str, Any]
    dropped_attributes: int

    @property
    def ended_ms(self) -> float:
        """When the span ended, from the start of the answer; its start where the duration is unknown."""
        return self.offset_ms + (self.duration_ms or 0.0)


class Answer(Read):
    """Everything about one answer; citations are None where they were not recorded."""

    trace_id: str
    span_id: str
    answer_id: str
    started_at: datetime
    duration_ms: float | None
    cost_usd: float | None
    service: str
    service_version: str | None
    status: str
    session_id: str | None
    intent: str | None
    slices: dict[str, str]
    question: str | None
    answer: str | None
    citations: list[str] | None
    refusal: bool | None
    confidence: float | None
    phoenix_share: float | None = None
    phoenix_url: str | None = None
    spans: list[StageSpan]
