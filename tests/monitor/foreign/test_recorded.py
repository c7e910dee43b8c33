"""What the store says of applications that changed only their endpoint: spans recorded from the real packages."""

from typing import Any

import pytest
from tests.samples.foreign.fake_openai import REPLY, USAGE
from tests.samples.foreign.programs import QUESTION

ANSWERS = {
    "openinference_langchain": 2,
    "openinference_langchain_openai": 2,
    "openinference_llamaindex": 2,
    "openinference_openai": 2,
    "openllmetry_langchain": 2,
    "openllmetry_llamaindex": 2,
    "openllmetry_openai": 1,
    "openllmetry_older": 2,
    "genai_langchain": 2,
    "genai_llamaindex": 2,
    "genai_openai": 2,
    "genai_openai_older": 2,
}
PROMPT_IS_ALL_THAT_IS_KNOWN = {"genai_llamaindex"}
"""Its searches and calls of models are traces of their own, below nothing."""


@pytest.mark.parametrize("name", ANSWERS)
def test_each_question_is_one_answer_with_its_texts(received: Any, name: str) -> None:
    answers = received(name).answers()
    assert len(answers) == ANSWERS[name]
    assert [row["answer"] for row in answers] == [REPLY] * len(answers)
    if name in PROMPT_IS_ALL_THAT_IS_KNOWN:
        assert all(QUESTION in row["question"] for row in answers)
    else:
        assert [row["question"] for row in answers] == [QUESTION] * len(answers)


@pytest.mark.parametrize("name", ANSWERS)
def test_the_model_is_called_once_an_answer_and_its_tokens_count_once(received: Any, name: str) -> None:
    seen = received(name)
    for answer in seen.answers():
        (call,) = seen.of(answer, "generate")
        assert call["duration_ms"] > 0
        assert (call["input_tokens"], call["output_tokens"]) in {
            (USAGE["prompt_tokens"], USAGE["completion_tokens"]),
            (None, None),
        }
    assert len(seen.spans("generate")) == ANSWERS[name]
