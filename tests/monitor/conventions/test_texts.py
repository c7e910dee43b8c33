"""The one text in what an application took or gave."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.conventions.all import answer_of, question_of, session_of, user_of
from ragvigil_monitor.conventions.genai import messages_of

QUESTIONS = {
    "plain": ({"input.value": "  why? "}, "why?"),
    "dictionary": ({"input.value": '{"question": "why?", "lang": "en"}'}, "why?"),
    "only one value": ({"input.value": '{"topic": "why?"}'}, "why?"),
    "numbers are text": ({"input.value": "42"}, "42"),
    "quoted": ({"input.value": '"why?"'}, "why?"),
    "not quite json": ({"input.value": '{"question": "wh'}, '{"question": "wh'),
    "chain of langchain": ({"traceloop.entity.input": '{"inputs": {"input": "why?"}, "tags": []}'}, "why?"),
    "streamed chain of langchain": (
        {
            "traceloop.entity.input": '{"inputs": {"input": ""}}',
            "traceloop.entity.output": '{"outputs": "so", "kwargs": {"inputs": "why?"}}',
        },
        "why?",
    ),
    "decorated function": ({"traceloop.entity.input": '{"args": ["why?"], "kwargs": {}}'}, "why?"),
    "named arguments": ({"traceloop.entity.input": '{"args": [], "kwargs": {"question": "why?"}}'}, "why?"),
    "query bundle": ({"input.value": '{"query_bundle": {"query_str": "why?", "image_path": null}}'}, "why?"),
    "messages": (
        {
            "gen_ai.input.messages": json.dumps(
                [
                    {"role": "system", "parts": [{"type": "text", "content": "Be brief."}]},
                    {"role": "user", "parts": [{"type": "text", "content": "who?"}]},
                    {"role": "assistant", "parts": [{"type": "text", "content": "me"}]},
                    {"role": "user", "parts": [{"type": "text", "content": "why?"}]},
                ]
            )
        },
        "why?",
    ),
    "flattened messages": (
        {
            "llm.input_messages.2.message.role": "user",
            "llm.input_messages.2.message.content": "who?",
            "llm.input_messages.10.message.role": "user",
            "llm.input_messages.10.message.content": "why?",
            "llm.input_messages.11.message.role": "assistant",
            "llm.input_messages.11.message.content": "me",
            "input.value": "everything",
        },
        "why?",
    ),
    "parts of a flattened message": (
        {
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.contents.0.message_content.text": "why?",
        },
        "why?",
    ),
    "older flattened messages": ({"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "why?"}, "why?"),
    "nothing": ({}, None),
    "empty": ({"input.value": " "}, None),
    "empty inside": ({"input.value": '{"input": ""}'}, None),
    "another type": ({"input.value": 5}, None),
    "several that say nothing": ({"input.value": '{"a": "x", "b": "y"}'}, None),
}
ANSWERS = {
    "plain": ({"output.value": "so"}, "so"),
    "response": ({"traceloop.entity.output": '{"response": "so", "metadata": {"doc-1": {}}}'}, "so"),
    "messages": ({"gen_ai.output.messages": '[{"role":"assistant","parts":[{"content":"so","type":"text"}]}]'}, "so"),
    "choice of an event": (
        {"gen_ai.output.messages": '{"index":0,"message":{"role":"assistant","content":"so"}}'},
        "so",
    ),
    "older completion": ({"gen_ai.completion.0.role": "unknown", "gen_ai.completion.0.content": "so"}, "so"),
    "structured": (
        {"gen_ai.output.messages": '[{"role":"assistant","parts":[{"content":"{\\"answer\\": \\"so\\"}"}]}]'},
        "so",
    ),
    "structured by other names": (
        {"gen_ai.output.messages": '[{"role":"assistant","parts":[{"content":"{\\"a\\": \\"x\\", \\"b\\": 2}"}]}]'},
        '{"a": "x", "b": 2}',
    ),
    "a generator": ({"output.value": '{"response_gen": "<generator object>", "source_nodes": []}'}, None),
    "what the user said": ({"gen_ai.output.messages": '[{"role":"user","content":"why?"}]'}, None),
}


@pytest.mark.parametrize(("attributes", "expected"), QUESTIONS.values(), ids=QUESTIONS)
def test_a_question_is_found(attributes: dict[str, Any], expected: str | None) -> None:
    assert question_of(attributes) == expected


@pytest.mark.parametrize(("attributes", "expected"), ANSWERS.values(), ids=ANSWERS)
def test_an_answer_is_found(attributes: dict[str, Any], expected: str | None) -> None:
    assert answer_of(attributes) == expected


@pytest.mark.parametrize(
    ("attributes", "session", "user"),
    [
        ({"session.id": "s", "user.id": "u"}, "s", "u"),
        ({"gen_ai.conversation.id": "s", "enduser.pseudo.id": "u"}, "s", "u"),
        (
            {"traceloop.association.properties.session_id": "s", "traceloop.association.properties.user_id": "u"},
            "s",
            "u",
        ),
        ({"session.id": "", "user.id": 7}, None, None),
    ],
    ids=["openinference", "genai", "openllmetry", "impossible"],
)
def test_session_and_user_are_found(attributes: dict[str, Any], session: str | None, user: str | None) -> None:
    assert (session_of(attributes), user_of(attributes)) == (session, user)


@pytest.mark.parametrize(
    ("event_name", "body", "attributes"),
    [
        ("gen_ai.user.message", '{"content": "why?"}', {}),
        (
            "gen_ai.client.inference.operation.details",
            None,
            {"gen_ai.input.messages": [{"role": "user", "parts": [{"type": "text", "content": "why?"}]}]},
        ),
    ],
    ids=["older", "newer"],
)
def test_what_was_said_may_stand_in_log_events(event_name: str, body: str | None, attributes: dict[str, Any]) -> None:
    assert question_of(messages_of(event_name, body, attributes)) == "why?"


ANY_JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["input", "messages", "role", "content", "kwargs", "x"]), inner, max_size=4)
    ),
    max_leaves=20,
)
ANY_VALUE = ANY_JSON | ANY_JSON.map(json.dumps) | st.binary(max_size=4)


@given(
    st.dictionaries(
        st.sampled_from(
            [
                "input.value",
                "output.value",
                "gen_ai.input.messages",
                "traceloop.entity.input",
                "traceloop.entity.output",
                "llm.input_messages.0.message.role",
                "llm.input_messages.0.message.content",
            ]
        ),
        ANY_VALUE,
    )
)
def test_whatever_was_sent_gives_a_text_or_nothing(attributes: dict[str, Any]) -> None:
    for found in (question_of(attributes), answer_of(attributes)):
        assert found is None or found.strip()


@pytest.mark.parametrize("nested", ['{"input":' * 5000 + '"x"' + "}" * 5000, "[" * 5000 + "]" * 5000], ids=["{", "["])
def test_what_is_nested_too_deep_is_not_followed(nested: str) -> None:
    assert question_of({"input.value": nested}) in {None, nested}
