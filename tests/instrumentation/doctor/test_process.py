"""What a process says about itself."""

import logging
from collections.abc import Callable
from pathlib import Path

import pytest

import ragvigil
from ragvigil.testing import InMemoryExporter, Receiver, Reply

Exported = Callable[[], InMemoryExporter]


def found(check: str) -> ragvigil.Finding:
    (finding,) = [finding for finding in ragvigil.diagnosis() if finding.check == check]
    return finding


def test_without_configure_nothing_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found("recording").verdict == "problem"
    assert "configure" in found("recording").advice
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert "OTEL_SDK_DISABLED" in found("recording").detail


def test_a_healthy_process_has_nothing_to_mend(exported: Exported) -> None:
    with ragvigil.pipeline("ask"), ragvigil.stage("embed"):
        pass
    exported()
    assert {finding.verdict for finding in ragvigil.diagnosis()} == {"ok"}
    assert found("spans").detail == "2 begun, 2 acknowledged, 0 spooled, 0 lost"
    assert found("delivery").detail == "0 traces and feedback events wait"


def test_a_process_that_recorded_nothing_is_told_what_to_add(exported: Exported) -> None:
    assert found("spans").verdict == "warning"
    assert "@ragvigil.pipeline" in found("spans").advice


def test_spans_that_nobody_takes_are_seen_as_waiting_and_then_as_lost(
    lenient: None, receiver: Receiver, wait_for: Callable[[Callable[[], object]], None]
) -> None:
    receiver.released.clear()
    ragvigil.configure(endpoint=receiver.endpoint, max_queue_traces=1, export_interval_s=0.01)
    with ragvigil.pipeline("ask"):
        pass
    wait_for(lambda: receiver.requests)
    assert found("spans").verdict == "warning"
    with ragvigil.pipeline("ask"):
        pass
    assert found("delivery").verdict == "warning"
    receiver.answers = [Reply(status=400)] * 3  # spans, counters, spans
    receiver.released.set()
    ragvigil.flush()
    assert found("spans").verdict == "problem"
    assert "2 lost" in found("spans").detail
    reports = [finding.detail for finding in ragvigil.diagnosis() if finding.check == "report"]
    assert any("the receiver refuses them: HTTP 400" in report for report in reports)


def test_a_missing_key_is_a_problem_once_tokens_are_asked_for(lenient: None) -> None:
    ragvigil.configure(exporter=InMemoryExporter())
    assert found("secret key").verdict == "warning"
    with ragvigil.pipeline("ask") as answer:
        assert answer.token() is None
    assert found("secret key").verdict == "problem"
    assert "1 tokens were asked for" in found("secret key").detail


def test_feedback_that_was_refused_is_told(lenient: None, exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        pass
    assert ragvigil.feedback("thumbs_up", answer=answer)
    exported()
    assert found("feedback").detail == "1 taken, 1 acknowledged, 0 refused, 0 lost"
    ragvigil.feedback("thumbs_up", token="forged")
    assert (found("feedback").verdict, "1 refused" in found("feedback").detail) == ("warning", True)


def test_searches_that_cannot_be_probed_are_told(lenient: None) -> None:
    ragvigil.configure(exporter=InMemoryExporter(), probe_share=1.0)

    @ragvigil.retriever(filter="where", top_k="k")
    def search(query: str, where: object, k: str = "many") -> list[str]:
        return ["a"]

    with ragvigil.pipeline("ask"):
        search("q", ragvigil.where(ragvigil.relevance(ragvigil.predicates.eq("lang", "de"))))
    assert found("probes").verdict == "warning"
    assert "1 not possible" in found("probes").detail


def test_own_failures_are_reported_once_each(lenient: None, caplog: pytest.LogCaptureFixture) -> None:
    from ragvigil.guard import GUARD

    with caplog.at_level(logging.CRITICAL):
        for _ in range(2):
            with GUARD:
                raise KeyError("own")
        for number in range(20):
            GUARD.report(f"kind {number:02}")
    reports = [finding.detail for finding in ragvigil.diagnosis() if finding.check == "report"]
    assert reports[0].startswith("KeyError at ")
    assert "test_process.py" in reports[0]
    assert (len(reports), reports[-1]) == (11, "11 more")


def test_adapters_in_use_are_named() -> None:
    import ragvigil.integrations.asgi

    assert "asgi" in found("adapters").detail
    assert ragvigil.integrations.asgi.TOKEN_HEADER


def test_the_diagnosis_itself_never_raises(lenient: None, exported: Exported, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragvigil import current

    monkeypatch.setattr(current, "recorder", object())
    (finding,) = ragvigil.diagnosis()
    assert finding.verdict == "problem"
    monkeypatch.undo()


def test_what_the_sample_left_out_is_no_missing_instrumentation() -> None:
    ragvigil.configure(sample=0.0, exporter=InMemoryExporter())
    with ragvigil.pipeline("ask"):
        pass
    assert found("spans").detail.endswith("1 traces left out")
    assert "sample" in found("spans").advice


def test_texts_that_were_withheld_are_a_problem(lenient: None) -> None:
    def broken(text: str) -> str:
        raise ValueError(text)

    ragvigil.configure(redactors=[broken], exporter=InMemoryExporter())
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="why?")
    assert ragvigil.flush()
    assert found("redaction").verdict == "problem"


def test_a_spool_that_cannot_be_written_is_a_problem(lenient: None, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    ragvigil.configure(endpoint="http://127.0.0.1:1", spool_dir=tmp_path / "file" / "spool")
    with ragvigil.pipeline("ask"):
        pass
    ragvigil.flush(timeout_s=0.5)
    assert found("spool").verdict == "problem"
    assert "max_spool_bytes" in found("spool").advice
