"""What kind of span each stage is, in OpenInference's and GenAI's words."""

from collections.abc import Mapping
from typing import Final, get_args

from ragvigil.fields import OwnKind

CHAIN: Final = "CHAIN"
EMBEDDING: Final = "EMBEDDING"
RETRIEVER: Final = "RETRIEVER"
RERANKER: Final = "RERANKER"
LLM: Final = "LLM"
OWN_KINDS: Final[frozenset[str]] = frozenset(get_args(OwnKind))

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
