"""OpenInference, as Phoenix and Arize read it.

Read from openinference-semantic-conventions 0.1.42 and openinference-instrumentation-{langchain 0.1.80, llama-index
4.6.1, openai 0.1.66}.
"""

from collections.abc import Sequence
from typing import Final

from ragvigil import attributes as names
from ragvigil_monitor.conventions.convention import Attributes, Convention, Event, Found
from ragvigil_monitor.conventions.texts import (
    answer_in,
    last_model_message,
    last_user_message,
    parsed,
    question_in,
)


def _documents(attributes: Attributes, events: Sequence[Event]) -> Found | None:
    """What LangChain's retriever returned: its flattened documents have no ids, its output has them."""
    del events
    output = parsed(attributes.get(names.OUTPUT_VALUE))
    listed = output.get("documents") if isinstance(output, dict) else None
    if not isinstance(listed, list) or not all(isinstance(each, dict) for each in listed):
        return None
    ids = [each.get("id") for each in listed]
    return Found([each if isinstance(each, str) else None for each in ids], [None] * len(ids))


OPENINFERENCE: Final = Convention(
    columns={
        "llm.response.model_name": "model",
        "llm.request.model_name": "model",
        "llm.provider": "provider",
        "llm.system": "provider",
        "llm.token_count.prompt_details.cache_read": "cached_tokens",
        "llm.token_count.prompt_details.cache_input": "cached_tokens",
    },
    first_token_events=frozenset({"First Token Stream Event"}),
    documents=_documents,
    questions=(
        last_user_message("llm.input_messages", "message.role", "message.content"),
        last_user_message("llm.input_messages", "message.role", "message.contents.0.message_content.text"),
        question_in(names.INPUT_VALUE),
    ),
    answers=(
        last_model_message("llm.output_messages", "message.role", "message.content"),
        last_model_message("llm.output_messages", "message.role", "message.contents.0.message_content.text"),
        answer_in(names.OUTPUT_VALUE),
    ),
    sessions=(names.SESSION_ID,),
    users=(names.USER_ID,),
)
