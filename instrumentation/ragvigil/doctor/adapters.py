"""The adapters by name: modules below `ragvigil.integrations`, and what each is for."""

from typing import Final

PACKAGE: Final = "ragvigil.integrations."
ADAPTERS: Final = {
    "asgi": "starlette",
    "chroma": "chromadb",
    "langchain": "langchain-core",
    "llamaindex": "llama-index-core",
    "qdrant": "qdrant-client",
}
"""The distribution that each is for."""
