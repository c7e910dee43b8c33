"""OpenTelemetry's conventions for generative AI, with the names that they had earlier.

Read from opentelemetry-instrumentation-genai-{openai,langchain,llama-index} 1.3b0 and opentelemetry-instrumentation-
openai-v2 2.0b0.
"""

from collections.abc import Mapping
from typing import Final

import orjson

from ragvigil import attributes as names
from ragvigil_monitor.conventions.convention import Attributes, Convention
from ragvigil_monitor.conventions.texts import answer_in, question_in

LEAVES: Final = {
    "embeddings": "EMBEDDING",
    "retrieval": "RETRIEVER",
    "rerank": "RERANKER",
    "chat": "LLM",
    "text_completion": "LLM",
    "generate_content": "LLM",
    "execute_tool": "TOOL",
}
"""Operations below which nothing else is done."""

_INPUT, _OUTPUT = "gen_ai.input.messages", "gen_ai.output.messages"
SPEAKING_EVENTS: Final[Mapping[str, str | None]] = {
    "gen_ai.user.message": _INPUT,
    "gen_ai.choice": _OUTPUT,
    "gen_ai.client.inference.operation.details": None,
}
"""Log events that hold what was said in a call: the attribute that their body stands for; None: it is in attributes."""


def messages_of(event_name: str, body: str | None, attributes: Attributes) -> dict[str, object]:
    """The attributes that a log event says its span would have."""
    attribute = SPEAKING_EVENTS.get(event_name)
    if attribute is not None:
        return {attribute: body}
    told = {name: attributes[name] for name in (_INPUT, _OUTPUT) if name in attributes}
    return {name: value if isinstance(value, str) else orjson.dumps(value).decode() for name, value in told.items()}


GENAI: Final = Convention(
    columns={
        "gen_ai.system": "provider",
        "gen_ai.usage.prompt_tokens": "input_tokens",
        "gen_ai.usage.completion_tokens": "output_tokens",
    },
    kinds=(
        (names.OPERATION_NAME, LEAVES),
        (
            names.OPERATION_NAME,
            {"invoke_agent": "AGENT", "invoke_workflow": "CHAIN"},
        ),
    ),
    questions=(question_in(_INPUT),),
    answers=(answer_in(_OUTPUT),),
    sessions=(names.CONVERSATION_ID,),
    users=(names.ENDUSER_PSEUDO_ID, names.USER_ID, names.ENDUSER_ID),
)
