"""What kind of span each stage is, in OpenInference's and GenAI's words."""

from collections.abc import Mapping
from typing import Final

CHAIN: Final = "CHAIN"
EMBEDDING: Final = "EMBEDDING"
RETRIEVER: Final = "RETRIEVER"
RERANKER: Final = "RERANKER"
LLM: Final = "LLM"

KIND_BY_STAGE: Final[Mapping[str, str]] = {
    "embed": EMBEDDING,
    "retrieve": RETRIEVER,
    "rerank": RERANKER,
    "generate": LLM,
}
OPERATION_BY_KIND: Final[Mapping[str, str]] = {
    EMBEDDING: "embeddings",
    RETRIEVER: "retrieval",
    LLM: "chat",
}
ANSWER_OPERATION: Final = "invoke_workflow"
