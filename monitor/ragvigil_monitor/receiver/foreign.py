"""Names that other instrumentations write and Ragvigil only reads."""

from collections.abc import Mapping
from typing import Final

GENAI_SYSTEM: Final = "gen_ai.system"
"""string: the older name of `gen_ai.provider.name`."""
GENAI_PROMPT_TOKENS: Final = "gen_ai.usage.prompt_tokens"
"""int: the older name of `gen_ai.usage.input_tokens`."""
GENAI_COMPLETION_TOKENS: Final = "gen_ai.usage.completion_tokens"
"""int: the older name of `gen_ai.usage.output_tokens`."""
LLM_PROVIDER: Final = "llm.provider"
"""string: OpenInference's name of `gen_ai.provider.name`."""
LLM_CACHED_TOKENS: Final = "llm.token_count.prompt_details.cache_read"
"""int: OpenInference's name of `gen_ai.usage.cache_read.input_tokens`."""

KIND_OF_OPERATION: Final[Mapping[str | None, str]] = {
    "embeddings": "EMBEDDING",
    "retrieval": "RETRIEVER",
    "rerank": "RERANKER",
    "chat": "LLM",
    "text_completion": "LLM",
    "generate_content": "LLM",
    "execute_tool": "TOOL",
    "create_agent": "AGENT",
    "invoke_agent": "AGENT",
    "invoke_workflow": "CHAIN",
}
"""The OpenInference kind that a `gen_ai.operation.name` amounts to."""
