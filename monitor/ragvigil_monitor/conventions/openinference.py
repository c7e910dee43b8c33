"""OpenInference, as Phoenix and Arize read it.

Read from openinference-semantic-conventions 0.1.42 and openinference-instrumentation-{langchain 0.1.80, llama-index
4.6.1, openai 0.1.66}.
"""

import re
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

_RANKED: Final = re.compile(rf"{re.escape(names.RETRIEVAL_DOCUMENTS)}\.\d{{1,6}}\.")


def _documents(attributes: Attributes, events: Sequence[Event]) -> Found | None:
    """What a retriever of LangChain returned: only its output has the ids. Else how many documents there are."""
    del events
    output = parsed(attributes.get(names.OUTPUT_VALUE))
    listed = output.get("documents") if isinstance(output, dict) else None
    if isinstance(listed, list) and all(isinstance(each, dict) for each in listed):
        ids = [each.get("id") for each in listed]
        return Found([each if isinstance(each, str) else None for each in ids], [None] * len(ids))
    ranks = {match[0] for name in attributes if (match := _RANKED.match(name))}
    return Found([None] * len(ranks), [None] * len(ranks)) if ranks else None


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
