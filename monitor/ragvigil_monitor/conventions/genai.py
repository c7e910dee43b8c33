"""OpenTelemetry's conventions for generative AI, with the names that they had earlier.

Read from opentelemetry-instrumentation-genai-{openai,langchain,llama-index} 1.3b0 and opentelemetry-instrumentation-
openai-v2 2.0b0.
"""

from typing import Final

from ragvigil import attributes as names
from ragvigil_monitor.conventions.convention import Convention
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
    questions=(question_in("gen_ai.input.messages"),),
    answers=(answer_in("gen_ai.output.messages"),),
    sessions=(names.CONVERSATION_ID,),
    users=(names.ENDUSER_PSEUDO_ID, names.USER_ID, names.ENDUSER_ID),
)
