"""What `Stage.set` and `Answer.set` take, as types."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal, TypeAlias, TypedDict

OwnKind: TypeAlias = Literal["AGENT", "EVALUATOR", "GUARDRAIL", "TOOL"]
"""What a stage of one's own is to OpenInference, where it is not just a part of a chain."""
ScoreKind: TypeAlias = Literal["similarity", "distance", "logit", "rrf"]


class StageFields(TypedDict, total=False):
    """Facts about a stage; None is the same as leaving one out."""

    input_count: int | None
    output_count: int | None
    query: str | None
    top_k: int | None
    model: str | None
    provider: str | None
    response_id: str | None
    response_model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cost_usd: float | None
    score_kind: ScoreKind | None
    index_version: str | None
    index_committed_at: datetime | None
    embedding_version: str | None
    retrieval_turn: int | None
    reranker_device: str | None
    reranker_batch_size: int | None
    filter_extractor: str | None
    filter_extractor_version: str | None
    db_system: str | None
    collection: str | None
    data_source: str | None
    input: str | None
    output: str | None


class AnswerFields(TypedDict, total=False):
    """Facts about an answer; None is the same as leaving one out."""

    question: str | None
    answer: str | None
    session_id: str | None
    user_id: str | None
    intent: str | None
    refusal: bool | None
    confidence: float | None
    citations: Sequence[str] | None
    regeneration_of: str | None
    experiment_id: str | None
    experiment_arm: str | None
    experiment_unit: str | None
    budget_exhausted: bool | None
