"""The example of the documentation, as it stands there."""

import re
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

import ragvigil
from ragvigil import attributes as names
from ragvigil.integrations.asgi import TOKEN_HEADER
from ragvigil.testing import receiving

PAGE = Path(__file__).parents[4] / "docs" / "instrument.md"


def example(word: str) -> str:
    """The Python block of the page that holds a word."""
    (block,) = [block for block in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if word in block]
    return str(block)


def test_the_example_records_answers_and_takes_feedback(monkeypatch: Any) -> None:
    with receiving() as receiver:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint)
        given: dict[str, Any] = {"SECRET": b"k" * 16, "search": str.split, "generate": lambda *asked: asked[1][0]}
        exec(example("AnswerMiddleware"), given)  # noqa: S102 - ours
        with TestClient(given["app"]) as client:
            response = client.post("/ask?question=why+not", headers={"x-session-id": "s-1"})
            token = response.headers[TOKEN_HEADER]
            assert client.post("/feedback", json={"token": token, "kind": "copy"}).json() == {"recorded": True}
        assert ragvigil.flush()
        (answer,) = receiver.spans
    assert (answer.attributes[names.INPUT_VALUE], answer.attributes[names.OUTPUT_VALUE]) == ("why not", "why")
    assert (answer.name, answer.attributes[names.SESSION_ID]) == ("ask", "s-1")
