import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil.predicates import Filter, eq, relevance
from ragvigil.testing import Receiver, receiving, strict
from ragvigil_monitor.demo.access import entitlement_of
from ragvigil_monitor.demo.answerer import Reply
from ragvigil_monitor.demo.app import Answered
from ragvigil_monitor.demo.clock import SimulatedClock
from ragvigil_monitor.demo.following import Rating
from ragvigil_monitor.demo.seeded_ids import SeededIds
from ragvigil_monitor.demo.telemetry import MOST_WAITING_SPANS, SpansLost, Telemetry


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with strict(), receiving() as receiver:
        yield receiver
        ragvigil.shutdown()


def answer(times: int) -> None:
    for _ in range(times):
        with ragvigil.pipeline("ask"), ragvigil.stage("retrieve"):
            pass


@pytest.fixture
def telemetry(receiver: Receiver, now: datetime) -> Telemetry:
    return Telemetry(receiver.endpoint, 1, SimulatedClock(now), SeededIds(1))


def test_counts_spans_over_all_versions(receiver: Receiver, telemetry: Telemetry) -> None:
    telemetry.release("1.0.0")
    answer(3)
    telemetry.release("1.1.0")
    answer(2)
    assert telemetry.spans_started() == 10
    telemetry.stop()
    assert telemetry.spans_started() == 10
    spans = receiver.spans
    assert len(spans) == 10
    assert [span.resource[names.SERVICE_VERSION] for span in spans] == ["1.0.0"] * 6 + ["1.1.0"] * 4
    assert len({span.resource[names.SERVICE_INSTANCE_ID] for span in spans}) == 2


def test_a_simulation_faster_than_the_receiver_loses_nothing(receiver: Receiver, telemetry: Telemetry) -> None:
    telemetry.release("1.0.0")
    for _ in range(MOST_WAITING_SPANS):
        answer(1)
        telemetry.relieve()
    telemetry.stop()
    assert len(receiver.spans) == telemetry.spans_started() == 2 * MOST_WAITING_SPANS


def test_the_same_seed_sends_the_same_ids(receiver: Receiver, now: datetime) -> None:
    sent = []
    for _ in range(2):
        receiver.requests.clear()
        telemetry = Telemetry(receiver.endpoint, 5, SimulatedClock(now), SeededIds(5))
        telemetry.release("1.0.0")
        answer(2)
        telemetry.stop()
        sent.append([(span.trace_id, span.span_id, span.start_ns) for span in receiver.spans])
    assert sent[0] == sent[1]


def test_stopping_what_does_not_run_is_nothing(telemetry: Telemetry) -> None:
    telemetry.stop()
    assert telemetry.spans_started() == 0


def test_a_receiver_that_is_not_there_is_an_error_not_a_loss(now: datetime) -> None:
    telemetry = Telemetry("http://127.0.0.1:9", 1, SimulatedClock(now), SeededIds(1), flush_timeout_s=0.3)
    telemetry.release("1.0.0")
    answer(1)
    with pytest.raises(SpansLost, match=r"127\.0\.0\.1:9 did not take the spans within 0\.3 s"):
        telemetry.flush()
    ragvigil.shutdown(0.1)


def fail_after_an_answer(telemetry: Telemetry) -> None:
    with telemetry:
        telemetry.release("1.0.0")
        answer(1)
        raise ZeroDivisionError


def test_after_an_error_the_rest_is_given_up_without_waiting(now: datetime) -> None:
    telemetry = Telemetry("http://127.0.0.1:9", 1, SimulatedClock(now), SeededIds(1))
    began = time.monotonic()
    with pytest.raises(ZeroDivisionError):
        fail_after_an_answer(telemetry)
    assert time.monotonic() - began < 10
    assert ragvigil.counts().started == 0


def test_at_the_end_everything_is_handed_over(receiver: Receiver, telemetry: Telemetry) -> None:
    with telemetry:
        telemetry.release("1.0.0")
        answer(5)
    assert len(receiver.spans) == telemetry.spans_started() == 10


def test_entitlement_is_hidden_by_one_key_in_all_versions(receiver: Receiver, telemetry: Telemetry) -> None:
    with telemetry:
        for version in ("1.0.0", "1.1.0"):
            telemetry.release(version)
            with ragvigil.pipeline("ask"), ragvigil.stage("retrieve") as stage:
                stage.filter(ragvigil.where(entitlement_of("web")))
    hidden = [span.attributes[names.FILTER_AST] for span in receiver.spans if span.name == "retrieve"]
    assert len(hidden) == 2
    assert hidden[0] == hidden[1]
    assert "web" not in hidden[0]


def answered() -> Answered:
    with ragvigil.pipeline("ask") as one:
        pass
    return Answered(Reply("yes", (), 1.0, refused=False), one.id, one.token())


def test_what_users_do_reaches_the_receiver_with_both_times(
    receiver: Receiver, telemetry: Telemetry, now: datetime
) -> None:
    with telemetry:
        telemetry.release("1.0.0")
        one = answered()
        telemetry.give(Rating(now, now - timedelta(hours=2), "thumbs_down", "wrong", "1-1-0-thumb", one))
        telemetry.regenerated(one, "1-1-1")
    given = {log.attributes[names.FEEDBACK_KIND]: log for log in receiver.logs if names.FEEDBACK_KIND in log.attributes}
    assert set(given) == {"thumbs_down", "regenerate"}
    assert given["thumbs_down"].attributes[names.ANSWER_ID] == one.answer_id
    assert given["thumbs_down"].observed_ns - given["thumbs_down"].time_ns == 2 * 3600 * 10**9


def test_feedback_that_is_refused_is_an_error(receiver: Receiver, telemetry: Telemetry) -> None:
    telemetry.release("1.0.0")
    forged = Answered(Reply("yes", (), 1.0, refused=False), "t-s", "rv1.forged.token")
    with pytest.raises(SpansLost, match="refused regenerate for the answer t-s"):
        telemetry.regenerated(forged, "1-1-1")


def search_again(seconds: float) -> None:
    @ragvigil.retriever(filter="where", top_k="k")
    def search(query: str, *, where: Filter, k: int) -> list[str]:
        if k == 2:
            time.sleep(seconds)
        return ["d1"]

    with ragvigil.pipeline("ask"):
        search("rows", where=ragvigil.where(relevance(eq("kind", "class"))), k=1)


def test_probes_are_waited_for(receiver: Receiver) -> None:
    with Telemetry(receiver.endpoint, 1, probe_share=1.0) as telemetry:
        telemetry.release("1.0.0")
        search_again(0.05)
        telemetry.await_probes()
        assert ragvigil.counts().probes.run == 1
        assert telemetry.spans_started() == 3


def test_a_probe_that_hangs_is_an_error_not_a_hang(receiver: Receiver) -> None:
    telemetry = Telemetry(receiver.endpoint, 1, flush_timeout_s=0.05, probe_share=1.0)
    telemetry.release("1.0.0")
    search_again(1.0)
    with pytest.raises(SpansLost, match=r"A probe was not done within 0\.05 s"):
        telemetry.await_probes()
