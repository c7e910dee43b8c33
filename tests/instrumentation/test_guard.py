"""Own failures stay inside, are logged once per kind, and pass through in tests."""

from collections.abc import Callable

import pytest

import ragvigil
from ragvigil.guard import GUARD, Guard
from ragvigil.testing import InMemoryExporter, ManualClock, SequentialIds, strict


def fail(message: str) -> None:
    raise ValueError(message)


def test_a_failure_is_logged_once_and_swallowed(lenient: None, caplog: pytest.LogCaptureFixture) -> None:
    guard = Guard()
    for _ in range(3):
        with guard:
            fail("inside")
    assert caplog.text.count("your code still runs, with less telemetry") == 1
    assert "in fail" in caplog.text
    assert caplog.text.rstrip().endswith("ValueError")


def test_what_a_failure_says_is_not_logged(lenient: None, caplog: pytest.LogCaptureFixture) -> None:
    recorded = "a question" + " of a user"
    try:
        fail(recorded)
    except ValueError as failure:
        GUARD.caught(failure)
    with GUARD:
        raise KeyError(recorded) from ValueError(recorded)
    assert "KeyError" in caplog.text
    assert recorded not in caplog.text


def test_another_kind_is_logged_too(caplog: pytest.LogCaptureFixture) -> None:
    guard = Guard()
    with guard:
        fail("first")
    with guard:
        raise KeyError("second")
    assert caplog.text.count("your code still runs") == 2


def test_what_is_not_an_exception_passes() -> None:
    with pytest.raises(KeyboardInterrupt), Guard():
        raise KeyboardInterrupt


def test_while_strict_everything_passes() -> None:
    guard = Guard()
    guard.strict = True
    with pytest.raises(ValueError, match="inside"), guard:
        fail("inside")


def test_strict_ends_with_its_block(lenient: None) -> None:
    with strict():
        assert GUARD.strict
    assert not GUARD.strict


def test_reports_are_logged_once_and_bounded(caplog: pytest.LogCaptureFixture) -> None:
    guard = Guard()
    for number in range(3000):
        guard.report(f"problem {number % 1500}")
    assert len(caplog.records) == 1000


class BrokenClock:
    """Fails after a number of readings."""

    def __init__(self, readings: int) -> None:
        self.readings = readings

    def wall_ns(self) -> int:
        return self.monotonic_ns()

    def monotonic_ns(self) -> int:
        self.readings -= 1
        if self.readings < 0:
            raise OSError("no clock")
        return 5


@pytest.mark.parametrize("readings", range(8))
def test_a_clock_that_breaks_at_any_moment_never_reaches_the_application(lenient: None, readings: int) -> None:
    ragvigil.configure(clock=BrokenClock(readings), ids=SequentialIds(), exporter=InMemoryExporter())

    @ragvigil.pipeline
    def ask(question: str) -> str:
        with ragvigil.stage("retrieve") as s:
            s.first_token()
            s.add_event("event")
        return question.upper()

    assert ask("why?") == "WHY?"
    assert ragvigil.current_answer().id == ""


class BrokenIds:
    """Fails always."""

    def generate_trace_id(self) -> int:
        raise OSError("no entropy")

    generate_span_id = generate_trace_id


def test_ids_that_fail_cost_the_spans_only(lenient: None, clock: ManualClock) -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(clock=clock, ids=BrokenIds(), exporter=exporter)
    with ragvigil.pipeline("ask") as answer, ragvigil.stage("retrieve") as s:
        s.outputs(["a"])
        answer.set(question="why?")
    assert ragvigil.flush()
    assert exporter.spans == []


def test_a_span_that_cannot_be_encoded_is_counted_and_the_rest_arrives(
    exported: Callable[[], InMemoryExporter], lenient: None
) -> None:
    with ragvigil.pipeline("ask"), ragvigil.stage("broken") as s:
        s.name = 5  # type: ignore[assignment]  # damage that no method allows
    assert [span.name for span in exported().spans] == ["ask"]
    assert ragvigil.counts() == ragvigil.Counts(started=2, exported=1, dropped=1)
