"""Which attribute fills which column of `spans`, and what the column accepts."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from ragvigil import attributes as names
from ragvigil_monitor.conventions.all import CONVENTIONS
from ragvigil_monitor.receiver.values import amount, count, flag, json_value, milliseconds, name, small_count, text
from ragvigil_monitor.telemetry_tables import SPANS, positions

Accepts = Callable[[object], Any]
Column = tuple[int, Accepts]

AT: Final = positions(SPANS)

_ACCEPTS: Final[Mapping[str, Accepts]] = {
    "kind": text,
    "stage": name,
    "probe_id": text,
    "provider": text,
    "model": text,
    "input_tokens": count,
    "output_tokens": count,
    "cached_tokens": count,
    "cost_usd": amount,
    "time_to_first_token_ms": milliseconds,
    "embedding_cache_hit": flag,
    "retrieval_cache_hit": flag,
    "answer_cache_hit": flag,
    "query_text": text,
    "top_k": small_count,
    "score_kind": text,
    "filter_state": text,
    "filter_ast": json_value,
    "filter_clauses": json_value,
}

_OWN: Final = {
    names.SPAN_KIND: "kind",
    names.STAGE: "stage",
    names.PROBE_ID: "probe_id",
    names.PROVIDER_NAME: "provider",
    names.REQUEST_MODEL: "model",
    names.USAGE_INPUT_TOKENS: "input_tokens",
    names.USAGE_OUTPUT_TOKENS: "output_tokens",
    names.USAGE_CACHED_TOKENS: "cached_tokens",
    names.STAGE_COST: "cost_usd",
    names.TIME_TO_FIRST_CHUNK: "time_to_first_token_ms",
    names.CACHE_EMBEDDING_HIT: "embedding_cache_hit",
    names.CACHE_RETRIEVAL_HIT: "retrieval_cache_hit",
    names.CACHE_ANSWER_HIT: "answer_cache_hit",
    names.RETRIEVAL_QUERY_TEXT: "query_text",
    names.RETRIEVAL_TOP_K: "top_k",
    names.SCORE_KIND: "score_kind",
    names.FILTER_STATE: "filter_state",
    names.FILTER_AST: "filter_ast",
    names.FILTER_CLAUSES: "filter_clauses",
}

_ALSO: Final = {
    names.EMBEDDING_MODEL_NAME: "model",
    names.RERANKER_MODEL_NAME: "model",
    names.LLM_MODEL_NAME: "model",
    names.RESPONSE_MODEL: "model",
    names.LLM_TOKENS_PROMPT: "input_tokens",
    names.LLM_TOKENS_COMPLETION: "output_tokens",
    names.LLM_COST_TOTAL: "cost_usd",
    names.RERANKER_QUERY: "query_text",
    names.RERANKER_TOP_K: "top_k",
}


def _columns(by_attribute: Mapping[str, str]) -> dict[str, Column]:
    return {attribute: (AT[column], _ACCEPTS[column]) for attribute, column in by_attribute.items()}


FIRST_CHOICE: Final = _columns(_OWN)
"""Attributes that a column is made for."""
SECOND_CHOICE: Final = _columns(_ALSO)
"""What Ragvigil writes beside them for others, in order of preference: it fills what the first choice left empty."""
THIRD_CHOICE: Final = _columns(
    {attribute: column for each in CONVENTIONS for attribute, column in each.columns.items()}
)
"""What only others write, in order of preference."""
