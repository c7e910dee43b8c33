"""`ragvigil.testing.recording`: what an application's own tests look at."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import ragvigil
from ragvigil import current, entitlement, relevance, where
from ragvigil.guard import GUARD
from ragvigil.predicates import eq
from ragvigil.testing import InMemoryExporter, recording

DOCS = Path(__file__).parents[2] / "docs/instrument.md"
EXAMPLE = DOCS.read_text(encoding="utf-8").partition("## Tests")[2].partition("```python\n")[2].partition("```")[0]


MY_APP = """
import ragvigil

@ragvigil.retriever(filter="where", query="query", top_k="k")
def search(query, where=None, k=3):
    return [("reset-guide", 0.9), ("faq", 0.4)][:k]

@ragvigil.pipeline
def answer(question):
    found = search(question, {"tenant": "acme"})
    with ragvigil.stage("generate") as stage:
        stage.set(model="small-1", cost_usd=0.002)
    return f"See {found[0][0]}."
"""


@ragvigil.retriever(filter="where", query="query", top_k="k")
def search(query: str, where: object = None, k: int = 2) -> list[tuple[str, float]]:
    return [(f"{query}-{number}", 1 - number / 10) for number in range(k)]


@ragvigil.pipeline
def answer(question: str) -> str:
    found = search(question, where(entitlement(eq("tenant", "acme")), relevance(eq("lang", "de"))))
    return found[0][0]


def test_answers_stages_and_feedback_are_at_hand() -> None:
    with recording() as recorded:
        assert answer("reset") == "reset-0"
        assert ragvigil.feedback("thumbs_up", token=None, answer=None) is False
        with ragvigil.pipeline("chat") as chat:
            recorded.clock.advance(0.5)
        assert ragvigil.feedback("thumbs_up", token=chat.token())
        first, second = recorded.answers()
        assert (first.name, first.input, first.output, first.stage) == ("answer", "reset", "reset-0", None)
        assert (second.duration_s, second.answer_id) == (0.5, chat.id)
        (retrieval,) = recorded.stages("retrieve")
        assert recorded.stages() == [retrieval]
        assert retrieval.documents == [("reset-0", 1.0), ("reset-1", 0.9)]
        assert (retrieval.filter_state, retrieval.stage, retrieval.answer_id) == ("known", "retrieve", None)
        assert recorded.one("retrieve") == retrieval
        assert [log.attributes["ragvigil.feedback.kind"] for log in recorded.feedback()] == ["thumbs_up"]
        assert (recorded.counts().exported, recorded.counts().feedback.refused) == (3, 1)
        assert recorded.describe().startswith("retrieve [0000000000000002 below 0000000000000001] 0 s unset")


def test_probes_are_no_stages_of_answers() -> None:
    with recording(probe_share=1.0) as recorded:
        answer("reset")
        (probe,) = recorded.probes()
        assert len(probe.documents) == 4
        assert recorded.stages("retrieve") == [span for span in recorded.spans if span.stage and span != probe]


def test_settings_are_those_of_configure() -> None:
    with recording(service_name="shop", sample=0.0) as recorded:
        answer("reset")
        assert (recorded.answers(), recorded.counts().left_out) == ([], 1)
    with pytest.raises(TypeError, match="multiple values for keyword argument 'exporter'"), recording(exporter=None):
        pass


def test_a_failure_inside_passes_and_leaves_nothing_configured() -> None:
    with pytest.raises(KeyError), recording():
        raise KeyError("theirs")
    assert current.recorder is None


@pytest.mark.usefixtures("lenient")
def test_own_failures_are_raised_inside_only() -> None:
    with recording(), ragvigil.stage("retrieve") as s, pytest.raises(ValueError, match="1 document ids but 2 scores"):
        s.outputs(["a"], [0.5, 0.25])
    assert not GUARD.strict


def test_what_is_not_delivered_in_time_is_a_failure_of_the_test() -> None:
    with recording() as recorded:
        answer("reset")
        with pytest.raises(AssertionError, match="not delivered within 0 s"):
            recorded.wait(timeout_s=0)


def test_an_exporter_can_be_emptied() -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter, secret_key=b"k" * 16)
    answer("reset")
    assert ragvigil.flush()
    assert (len(exporter.answers()), len(exporter.stages()), exporter.feedback()) == (1, 1, [])
    exporter.clear()
    assert (exporter.spans, exporter.logs) == ([], [])


def test_the_example_in_the_docs_is_a_test_that_passes(tmp_path: Path, lenient: None) -> None:
    (tmp_path / "my_app.py").write_text(MY_APP, encoding="utf-8")
    (tmp_path / "test_example.py").write_text(EXAMPLE, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--noconftest", str(tmp_path)]
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    environ = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60, cwd=tmp_path, env=environ)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
