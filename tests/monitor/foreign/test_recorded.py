"""What the store says of applications that changed only their endpoint: spans recorded from the real packages."""

from dataclasses import dataclass
from typing import Any

import orjson
import pytest
from tests.samples.foreign.fake_openai import REPLY, USAGE
from tests.samples.foreign.programs import QUESTION
from tests.samples.foreign.recordings import NAMES, one_span_each, recorded

TOKENS = (USAGE["prompt_tokens"], USAGE["completion_tokens"])
NOT_TOLD = (None, None)
NEAREST = ["doc-2", "doc-3"]


@dataclass(frozen=True)
class Expected:
    """What is told of each of the answers. documents: of the one search, None where none is told."""

    answers: int = 2
    tokens: tuple[Any, ...] = (TOKENS, TOKENS)
    documents: list[str] | None = None
    filter_state: str = "unknown"
    top_k: int | None = None
    session: str | None = None
    user: str | None = None
    searches: int = 1
    streamed_tells_first_token: bool = True


CHROMA: dict[str, Any] = {"filter_state": "known", "top_k": 2, "session": "session-1", "user": "user-1"}
EXPECTED = {
    "openinference_langchain": Expected(documents=NEAREST, session="session-1", streamed_tells_first_token=False),
    "openinference_langchain_openai": Expected(
        documents=NEAREST, session="session-1", streamed_tells_first_token=False
    ),
    "openinference_llamaindex": Expected(documents=NEAREST, tokens=(TOKENS, NOT_TOLD)),
    "openinference_openai": Expected(searches=0),
    "openllmetry_langchain": Expected(documents=NEAREST, **CHROMA, streamed_tells_first_token=False),
    "openllmetry_llamaindex": Expected(documents=NEAREST, tokens=(TOKENS, NOT_TOLD)),
    "openllmetry_openai": Expected(1, (TOKENS,), top_k=2, streamed_tells_first_token=False),
    "openllmetry_older": Expected(documents=NEAREST[:1], **CHROMA, streamed_tells_first_token=False),
    "genai_langchain": Expected(documents=NEAREST),
    "genai_llamaindex": Expected(searches=0, tokens=(TOKENS, NOT_TOLD)),
    "genai_openai": Expected(searches=0),
    "genai_openai_older": Expected(searches=0, streamed_tells_first_token=False),
    "genai_openai_v2": Expected(searches=0, streamed_tells_first_token=False),
    "genai_openai_v2_events": Expected(searches=0, streamed_tells_first_token=False),
}
ONLY_PROMPTS_ARE_TOLD = {"genai_llamaindex"}
"""Its searches and calls of models are traces of their own, below nothing."""


def test_every_recording_is_expected_to_say_something() -> None:
    assert sorted(EXPECTED) == NAMES


@pytest.mark.parametrize("name", EXPECTED)
def test_only_the_endpoint_is_changed_and_answers_are_there(post: Any, name: str) -> None:
    check(post(recorded(name)), name)


@pytest.mark.parametrize(
    "name", ["openinference_langchain_openai", "openinference_llamaindex", "openllmetry_langchain", "genai_langchain"]
)
@pytest.mark.parametrize("last_first", [False, True], ids=["in order", "last first"])
def test_how_spans_are_spread_over_requests_does_not_matter(post: Any, name: str, last_first: bool) -> None:
    requests = one_span_each(recorded(name))
    check(post(requests[::-1] if last_first else requests), name)


def check(seen: Any, name: str) -> None:
    expected, answers = EXPECTED[name], seen.answers()
    assert len(answers) == expected.answers
    assert {row["answer"] for row in answers} == {REPLY}
    assert all(QUESTION in row["question"] for row in answers)
    assert name in ONLY_PROMPTS_ARE_TOLD or {row["question"] for row in answers} == {QUESTION}
    assert {(row["session_id"], row["user_id"]) for row in answers} == {(expected.session, expected.user)}
    check_calls(seen, answers, expected)
    check_searches(seen, answers, expected)


def check_calls(seen: Any, answers: Any, expected: Expected) -> None:
    calls = [call for answer in answers for call in seen.of(answer, "generate")]
    assert len(calls) == len(seen.spans("generate")) == expected.answers
    assert tuple((call["input_tokens"], call["output_tokens"]) for call in calls) == expected.tokens
    assert sum(row["input_tokens"] or 0 for row in seen.spans() if row["kind"] == "LLM") == sum(
        told or 0 for told, _ in expected.tokens
    )
    assert {call["model"].removesuffix("-2026-01-01") for call in calls} == {"gpt-4o-mini"}
    assert (calls[-1]["time_to_first_token_ms"] is not None) == expected.streamed_tells_first_token


def check_searches(seen: Any, answers: Any, expected: Expected) -> None:
    for answer in answers:
        searches = seen.of(answer, "retrieve")
        assert len(searches) == expected.searches
        for search in searches:
            assert (search["filter_state"], search["top_k"]) == (expected.filter_state, expected.top_k)
            told = [each["id"] for each in orjson.loads(search["output_documents"] or "[]")]
            assert told == (expected.documents or [])


def test_a_filter_is_read_where_it_is_really_told(post: Any) -> None:
    searches = post(recorded("openllmetry_langchain")).spans("retrieve")
    assert [orjson.loads(each["filter_ast"]) for each in searches] == [
        {"op": "and", "args": [{"op": "eq", "field": "lang", "value": "en"}]}
    ] * 2
    assert {each["filter_clauses"] for each in searches} == {None}, "nobody gave a role: it counts as entitlement"
    assert {each["score_kind"] for each in searches} == {"distance"}


def test_what_embeds_documents_is_no_answer(post: Any) -> None:
    seen = post(recorded("openinference_openai"))
    indexing = [row for row in seen.spans("embed") if row["input_tokens"] == 15]
    assert [row["answer_span_id"] for row in indexing] == [None]


@pytest.mark.parametrize("name", EXPECTED)
def test_a_recording_is_small_and_names_no_machine(name: str) -> None:
    bodies = b"".join(request.body for request in recorded(name))
    assert len(bodies) < 300_000
    for revealing in (b"/home/", b"/root", b"/tmp/", b"/work", b"host.name", b"process.pid", b"site-packages"):
        assert revealing not in bodies
