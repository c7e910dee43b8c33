"""`feedback`: one log record in the trace of its answer, from any process; what is not valid is refused and counted."""

import subprocess
import sys
import textwrap
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsPartialSuccess, ExportLogsServiceResponse
from tests.samples.names import stable

import ragvigil
from ragvigil import Answer, FeedbackCounts
from ragvigil import attributes as names
from ragvigil.export.exporter import ACCEPTED, Delivery, Outcome, Signal
from ragvigil.testing import InMemoryExporter, ManualClock, Receiver, Reply
from ragvigil.testing.snapshots import LogSnapshot, read_logs

Exported = Callable[[], InMemoryExporter]
SECRET = b"k" * 16


def ask() -> Answer:
    with ragvigil.pipeline("ask") as answer:
        return answer


def given_events(logs: list[LogSnapshot]) -> list[LogSnapshot]:
    return [log for log in logs if log.event_name == names.EVENT_FEEDBACK]


def only_event(logs: list[LogSnapshot]) -> LogSnapshot:
    (event,) = given_events(logs)
    return event


def test_feedback_is_a_record_in_the_trace_of_its_answer(exported: Exported, clock: ManualClock) -> None:
    answer = ask()
    clock.advance(60)
    assert ragvigil.feedback("thumbs_down", token=answer.token(), reason="incomplete", feedback_id="f-1")
    event, span = only_event(exported().logs), exported().one("ask")
    assert (event.trace_id, event.span_id) == (span.trace_id, span.span_id)
    assert event.time_ns == event.observed_ns == span.start_ns + 60_000_000_000
    assert event.attributes == {
        names.ANSWER_ID: answer.id,
        names.ANSWER_STARTED_AT: span.start_ns,
        names.FEEDBACK_ID: "f-1",
        names.FEEDBACK_KIND: "thumbs_down",
        names.FEEDBACK_REASON: "incomplete",
    }
    assert event.resource == span.resource


@pytest.mark.parametrize("kind", names.FEEDBACK_KINDS)
def test_every_kind_is_taken(exported: Exported, kind: Any) -> None:
    assert ragvigil.feedback(kind, answer=ask(), value=12.5 if kind == "dwell" else None)
    assert only_event(exported().logs).attributes[names.FEEDBACK_KIND] == kind


@pytest.mark.parametrize("reason", names.FEEDBACK_REASONS)
def test_every_reason_is_taken(exported: Exported, reason: Any) -> None:
    assert ragvigil.feedback("thumbs_down", answer=ask(), reason=reason)
    assert only_event(exported().logs).attributes[names.FEEDBACK_REASON] == reason


@pytest.mark.parametrize("seconds", [0, 3, 2.5, 1e300], ids=stable)
def test_dwell_has_its_seconds(exported: Exported, seconds: float) -> None:
    assert ragvigil.feedback("dwell", answer=ask(), value=seconds)
    value = only_event(exported().logs).attributes[names.FEEDBACK_VALUE]
    assert (value, type(value)) == (seconds, float)


def test_an_answer_that_is_still_being_made_takes_feedback(exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        assert ragvigil.feedback("regenerate", answer=ragvigil.current_answer())
    assert only_event(exported().logs).attributes[names.ANSWER_ID] == answer.id


def test_the_times_of_client_and_call_are_kept_apart(exported: Exported, clock: ManualClock) -> None:
    at = datetime(2026, 11, 30, 14, 30, 0, 123456, tzinfo=timezone(timedelta(hours=9)))
    assert ragvigil.feedback("copy", answer=ask(), at=at)
    event = only_event(exported().logs)
    assert event.time_ns == int(at.timestamp()) * 10**9 + 123456000
    assert event.observed_ns == clock.wall_ns()


def test_a_client_whose_clock_is_ahead_is_believed_about_its_clock(exported: Exported, clock: ManualClock) -> None:
    tomorrow = datetime.fromtimestamp(clock.wall_ns() / 1e9, UTC) + timedelta(days=1)
    assert ragvigil.feedback("share", answer=ask(), at=tomorrow)
    assert only_event(exported().logs).time_ns > clock.wall_ns()


def test_every_call_has_an_id_of_its_own_unless_it_is_given(exported: Exported) -> None:
    answer = ask()
    for feedback_id in (None, None, "mine", "mine"):
        assert ragvigil.feedback("click", answer=answer, feedback_id=feedback_id)
    ids = [event.attributes[names.FEEDBACK_ID] for event in given_events(exported().logs)]
    assert len(set(ids)) == 3
    assert ids[2:] == ["mine", "mine"]


class Surprising:
    """Equal to nothing, and loud about it."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("do not compare me")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"kind": "thumbs_sideways"}, "kind: expected one of thumbs_up, thumbs_down"),
        ({"kind": ""}, "kind: expected"),
        ({"kind": None}, "kind: expected"),
        ({"kind": Surprising()}, "kind: expected"),
        ({"kind": ["thumbs_up"]}, "kind: expected"),
        ({"reason": "because"}, "reason: expected one of wrong, incomplete"),
        ({"reason": 5}, "reason: expected"),
        ({"value": 1.0}, "value: only dwell takes one"),
        ({"kind": "dwell"}, "value: dwell needs its seconds"),
        ({"kind": "dwell", "value": float("nan")}, "value: dwell needs"),
        ({"kind": "dwell", "value": float("inf")}, "value: dwell needs"),
        ({"kind": "dwell", "value": -1}, "value: dwell needs"),
        ({"kind": "dwell", "value": True}, "value: dwell needs"),
        ({"kind": "dwell", "value": "3"}, "value: dwell needs"),
        ({"kind": "dwell", "value": 10**400}, "value: dwell needs"),
        ({"feedback_id": ""}, "feedback_id: expected text of 1 to 200"),
        ({"feedback_id": "x" * 201}, "feedback_id: expected"),
        ({"feedback_id": 5}, "feedback_id: expected"),
        ({"at": datetime(2026, 11, 30)}, "at: expected a datetime with a time zone"),  # noqa: DTZ001 - that is the case
        ({"at": 1_700_000_000}, "at: expected a datetime"),
        ({"at": datetime(1969, 1, 1, tzinfo=UTC)}, "at: expected a time between 1970 and 2262"),
        ({"at": datetime(9999, 1, 1, tzinfo=UTC)}, "at: expected a time between"),
        ({"answer": None}, "expected either token= or answer="),
        ({"token": "x"}, "expected either token= or answer="),
        ({"answer": "an id"}, "answer: expected an answer that was recorded"),
        ({"answer": None, "token": "x"}, "token: not of the form"),
        ({"answer": None, "token": b"x"}, "token: expected text"),
    ],
    ids=stable,
)
def test_a_call_that_is_not_valid_is_refused_told_and_counted(
    exported: Exported, caplog: pytest.LogCaptureFixture, arguments: dict[str, Any], reason: str
) -> None:
    assert ragvigil.feedback(**{"kind": "thumbs_up", "answer": ask(), **arguments}) is False
    assert reason in caplog.text
    assert given_events(exported().logs) == []
    assert ragvigil.counts().feedback == FeedbackCounts(refused=1)


def test_an_answer_that_was_not_recorded_is_refused(exported: Exported, caplog: pytest.LogCaptureFixture) -> None:
    assert not ragvigil.feedback("thumbs_up", answer=ragvigil.pipeline("never started"))
    assert not ragvigil.feedback("thumbs_up", answer=ragvigil.current_answer())
    assert caplog.text.count("expected an answer that was recorded") == 1
    assert ragvigil.counts().feedback.refused == 2


def test_a_flood_of_forged_tokens_is_told_once(exported: Exported, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(2000):
        assert not ragvigil.feedback("thumbs_up", token=f"rv1.{number:020d}.{'A' * 22}")
    assert ragvigil.counts().feedback.refused == 2000
    assert len(caplog.records) == 1


def test_a_token_cannot_be_checked_without_a_key(exported: Exported, caplog: pytest.LogCaptureFixture) -> None:
    token = ask().token()
    ragvigil.configure(exporter=InMemoryExporter())
    assert not ragvigil.feedback("thumbs_up", token=token)
    assert "no token can be checked, configure(secret_key=...) is missing" in caplog.text


def test_a_token_of_another_secret_is_refused(exported: Exported, caplog: pytest.LogCaptureFixture) -> None:
    token = ask().token()
    ragvigil.configure(exporter=InMemoryExporter(), secret_key=b"another secret of ours")
    assert not ragvigil.feedback("thumbs_up", token=token)
    assert "made with another secret_key" in caplog.text


ANYTHING = st.one_of(
    st.none(), st.text(), st.binary(), st.integers(), st.floats(), st.booleans(), st.datetimes(), st.lists(st.text())
)


@settings(deadline=None, max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.one_of(st.sampled_from(names.FEEDBACK_KINDS), ANYTHING),
    options=st.dictionaries(
        st.sampled_from(["token", "answer", "reason", "value", "feedback_id", "at"]), ANYTHING, max_size=6
    ),
)
def test_whatever_is_passed_nothing_is_raised_and_all_is_counted(
    exported: Exported, kind: Any, options: dict[str, Any]
) -> None:
    before = ragvigil.counts().feedback
    taken = ragvigil.feedback(kind, **{"answer": ask(), **options})
    after = ragvigil.counts().feedback
    assert (after.given - before.given, after.refused - before.refused) == (int(taken), int(not taken))


def test_without_configure_nothing_is_taken() -> None:
    assert ragvigil.feedback("thumbs_up", token="rv1.x.y") is False
    assert ragvigil.counts().feedback == FeedbackCounts()


def test_switched_off_nothing_is_taken(monkeypatch: pytest.MonkeyPatch, receiver: Receiver) -> None:
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    ragvigil.configure(endpoint=receiver.endpoint, secret_key=SECRET)
    assert ragvigil.feedback("thumbs_up", answer=ask()) is False
    assert ragvigil.flush()
    assert receiver.requests == []


def test_a_broken_clock_does_not_reach_the_application(lenient: None, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(ManualClock):
        def wall_ns(self) -> int:
            raise OSError("no clock")

    ragvigil.configure(exporter=InMemoryExporter(), clock=Broken(), secret_key=SECRET)
    assert ragvigil.feedback("thumbs_up", token="rv1.x.y") is False
    assert "no clock" in caplog.text


# --- delivery ------------------------------------------------------------------------------------------------


def test_feedback_arrives_over_http_after_its_answer(receiver: Receiver) -> None:
    ragvigil.configure(service_name="shop", endpoint=receiver.endpoint, secret_key=SECRET)
    assert ragvigil.feedback("thumbs_up", answer=ask())
    assert ragvigil.flush()
    assert [request.path for request in receiver.requests] == ["/v1/traces", "/v1/logs", "/v1/logs"]
    assert only_event(receiver.logs).resource[names.SERVICE_NAME] == "shop"
    assert ragvigil.counts().feedback == FeedbackCounts(given=1, sent=1)


def test_feedback_alone_needs_no_trace(receiver: Receiver) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, secret_key=SECRET)
    token = ask().token()
    ragvigil.shutdown()
    before = len(receiver.to("/v1/traces"))
    ragvigil.configure(endpoint=receiver.endpoint, secret_key=SECRET)
    assert ragvigil.feedback("thumbs_up", token=token)
    assert ragvigil.flush()
    assert len(receiver.to("/v1/traces")) == before
    assert ragvigil.counts() == ragvigil.Counts(feedback=FeedbackCounts(given=1, sent=1))


def test_many_events_share_requests(receiver: Receiver) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, secret_key=SECRET, export_interval_s=3600)
    for _ in range(100):
        ragvigil.feedback("click", answer=ask())
    assert ragvigil.flush()
    assert len(receiver.requests) <= 3
    assert len(given_events(receiver.logs)) == 100
    assert ragvigil.counts().exported == 100


def test_the_counters_of_feedback_are_reported(receiver: Receiver) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, secret_key=SECRET)
    ragvigil.feedback("thumbs_up", answer=ask())
    ragvigil.feedback("thumbs_up", token="forged")
    assert ragvigil.flush()
    counters = receiver.logs[-1].attributes
    reported = {name.rpartition(".")[2]: n for name, n in counters.items() if name.startswith("ragvigil.feedback.")}
    assert reported == {"given": 1, "sent": 1, "spooled": 0, "dropped": 0, "refused": 1, "tokens_without_key": 0}


def test_a_receiver_that_is_busy_gets_feedback_again_and_traces_once(receiver: Receiver, lenient: None) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, secret_key=SECRET, export_interval_s=3600)
    receiver.answers = [Reply(), Reply(status=503), Reply(status=503)]
    ragvigil.feedback("thumbs_up", answer=ask(), feedback_id="f-1")
    assert not ragvigil.flush(timeout_s=0.3)
    assert ragvigil.counts().feedback == FeedbackCounts(given=1)
    assert ragvigil.flush(timeout_s=10)
    assert len(receiver.to("/v1/traces")) == 1
    assert {event.attributes[names.FEEDBACK_ID] for event in given_events(receiver.logs)} == {"f-1"}
    assert ragvigil.counts().feedback == FeedbackCounts(given=1, sent=1)
    assert ragvigil.counts().exported == 1


def test_feedback_waits_with_the_traces_of_a_receiver_that_is_away(receiver: Receiver, lenient: None) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, secret_key=SECRET, export_interval_s=3600)
    receiver.answers = [Reply(status=503)]
    ragvigil.feedback("thumbs_up", answer=ask())
    assert not ragvigil.flush(timeout_s=0.3)
    assert receiver.to("/v1/logs") == []
    assert ragvigil.flush(timeout_s=10)
    assert len(given_events(receiver.logs)) == 1


def test_refused_feedback_is_dropped_and_counted(receiver: Receiver, caplog: pytest.LogCaptureFixture) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, secret_key=SECRET, export_interval_s=3600)
    receiver.answers = [Reply(), Reply(status=404)]
    ragvigil.feedback("thumbs_up", answer=ask())
    assert ragvigil.flush()
    assert ragvigil.counts().feedback == FeedbackCounts(given=1, dropped=1)
    assert "logs are lost, the receiver refuses them: HTTP 404" in caplog.text


def test_partly_rejected_feedback_is_counted(receiver: Receiver) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, secret_key=SECRET, export_interval_s=3600)
    rejected = ExportLogsServiceResponse(partial_success=ExportLogsPartialSuccess(rejected_log_records=2))
    receiver.answers = [Reply(), Reply(body=rejected.SerializeToString())]
    answer = ask()
    for _ in range(5):
        ragvigil.feedback("click", answer=answer)
    assert ragvigil.flush()
    assert ragvigil.counts().feedback == FeedbackCounts(given=5, sent=3, dropped=2)


class Away:
    """An exporter whose receiver cannot be reached, until it can."""

    def __init__(self) -> None:
        self.is_away = True
        self.logs: list[LogSnapshot] = []

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        if self.is_away:
            return Delivery(Outcome.RETRY, reason="away")
        if signal is Signal.LOGS:
            self.logs.extend(read_logs(payload))
        return ACCEPTED

    def close(self) -> None:
        self.is_away = True


def test_the_queue_bounds_feedback_the_oldest_first(lenient: None) -> None:
    exporter = Away()
    ragvigil.configure(exporter=exporter, secret_key=SECRET, max_queue_traces=10, export_interval_s=3600)
    answer = ask()
    for number in range(50):
        assert ragvigil.feedback("click", answer=answer, feedback_id=str(number))
    assert ragvigil.counts().feedback == FeedbackCounts(given=50, dropped=40)
    exporter.is_away = False
    assert ragvigil.flush(timeout_s=10)
    assert [event.attributes[names.FEEDBACK_ID] for event in given_events(exporter.logs)] == [
        str(number) for number in range(40, 50)
    ]


def test_what_is_lost_at_shutdown_is_counted(lenient: None) -> None:
    ragvigil.configure(exporter=Away(), secret_key=SECRET)
    recorder = ragvigil.current.recorder
    assert recorder is not None
    ragvigil.feedback("click", answer=ask())
    ragvigil.shutdown(timeout_s=0.05)
    assert recorder.counts().feedback == FeedbackCounts(given=1, dropped=1)


def test_feedback_is_safe_in_threads(exported: Exported) -> None:
    answer = ask()

    def react() -> None:
        for _ in range(200):
            assert ragvigil.feedback("click", answer=answer)

    threads = [threading.Thread(target=react) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(given_events(exported().logs)) == 800
    assert ragvigil.counts().feedback == FeedbackCounts(given=800, sent=800)


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert done.stderr == ""
    return done.stdout.strip()


def test_another_process_reacts_to_an_answer_that_it_never_saw(receiver: Receiver, tmp_path: Path) -> None:
    configure = "import sys, ragvigil; ragvigil.configure(endpoint=sys.argv[1], secret_key=b'k' * 16)\n"
    token = run(configure + "with ragvigil.pipeline('ask'): print(ragvigil.token())", receiver.endpoint)
    assert run(configure + "print(ragvigil.feedback('edit', token=sys.argv[2]))", receiver.endpoint, token) == "True"
    event, (span,) = only_event(receiver.logs), receiver.spans
    assert (event.trace_id, event.span_id) == (span.trace_id, span.span_id)
    assert event.attributes[names.ANSWER_STARTED_AT] == span.start_ns
    assert event.resource[names.SERVICE_INSTANCE_ID] != span.resource[names.SERVICE_INSTANCE_ID]


def test_a_forked_child_reacts_to_an_answer_of_its_parent(receiver: Receiver) -> None:
    run(
        """
        import os, sys, ragvigil
        ragvigil.configure(endpoint=sys.argv[1], secret_key=b"k" * 16)
        with ragvigil.pipeline("ask") as answer:
            token = answer.token()
        child = os.fork()
        if child == 0:
            taken = ragvigil.feedback("copy", token=token) and ragvigil.feedback("share", answer=answer)
            os._exit(0 if taken and ragvigil.flush(20) else 3)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        """,
        receiver.endpoint,
    )
    kinds = {event.attributes[names.FEEDBACK_KIND]: event.trace_id for event in given_events(receiver.logs)}
    assert kinds == {"copy": receiver.spans[0].trace_id, "share": receiver.spans[0].trace_id}
