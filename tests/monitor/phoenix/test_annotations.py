"""What people said of answers becomes annotations: each once, without a name, only where the trace is."""

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.samples.reviews import draw_reviews, insert_events, reviewed_store, thumbs_down
from tests.samples.servers import free_port, running_service

from ragvigil.testing import Receiver, Reply, receiving
from ragvigil_monitor.api.oncall_status import status
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.phoenix.annotating import MOST_REFUSALS, MOST_SENT, annotation_counts
from ragvigil_monitor.phoenix.share import is_in_share
from ragvigil_monitor.review import queue
from ragvigil_monitor.review.labels import Label
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
REVIEWER = "ada-lovelace"
PATH = "/v1/span_annotations?sync=true"


@dataclass(slots=True)
class Desk:
    """A service with drawn answers, and a clock that is moved by hand. traces: of the spans of labelled answers."""

    service: Service
    now: datetime = NOW
    traces: dict[str, bytes] = field(default_factory=dict)

    def label(self, given: Label, reviewer: str = REVIEWER) -> tuple[str, str]:
        """Label the next item; the span of the answer and the label's id."""
        store, label_id = self.service.store, str(uuid.uuid4())
        lease = queue.lease_next(store, self.service.settings.review, reviewer, resume=False, now=self.now)
        assert lease is not None
        queue.label(store, lease.item_id, lease.lease_id, reviewer, given, label_id=label_id, now=self.now)
        (item,) = store.rows("review_item_by_id", item_id=lease.item_id)
        self.traces[item["span_id"].hex()] = item["trace_id"]
        return item["span_id"].hex(), label_id

    def run(self, *, later_s: float = 0) -> None:
        """Run the jobs that matter, so many seconds later."""
        self.now += timedelta(seconds=later_s)
        wanted = {"join_feedback", "phoenix_annotations"}
        listed = [job for job in jobs(self.service.settings) if job.name in wanted]
        run_due(self.service, self.now, listed=lambda _settings: listed)
        assert self.service.store.rows("job_problems_now") == []

    def counts(self) -> dict[str, int]:
        """The counts that are not zero."""
        found = annotation_counts(self.service.store, self.now)
        names = ("delivered", "waiting", "given_up", "not_forwarded")
        return {name: getattr(found, name) for name in names if getattr(found, name)}


MakeDesk = Callable[..., Desk]


@pytest.fixture
def make_desk(phoenix: Receiver) -> Iterator[MakeDesk]:
    """Makes a desk without feedback; every answer is drawn, and one reviewer is enough."""
    stores = []

    def make(**settings: Any) -> Desk:
        store = reviewed_store(NOW, answers=30, days=1.0)
        stores.append(store)
        review = {"second_label_share": 0.0, "uniform_share": 1.0, "salt": "x" * 16}
        given = {"url": phoenix.endpoint, "share": 1.0, "timeout_s": 0.3, **settings}
        with running_service(store, Keys.generate(), lambda: NOW, review=review) as service:
            draw_reviews(service)
        return Desk(replace(service, settings=Settings.load(review=review, phoenix=given)))

    yield make
    for store in stores:
        store.close()


@pytest.fixture
def desk(make_desk: MakeDesk) -> Desk:
    """One whose thumbs were delivered long ago."""
    made = make_desk()
    made.run()
    assert made.counts() == {"delivered": 3}
    return made


def bodies(phoenix: Receiver, after: int = 0) -> list[list[dict[str, Any]]]:
    return [json.loads(request.body)["data"] for request in phoenix.to(PATH)[after:]]


def test_a_label_becomes_an_annotation_on_the_span_of_the_answer(desk: Desk, phoenix: Receiver) -> None:
    span_id, label_id = desk.label(Label.PARTLY)
    desk.run(later_s=15)
    assert bodies(phoenix)[-1] == [
        {
            "span_id": span_id,
            "name": "ragvigil.review",
            "annotator_kind": "HUMAN",
            "result": {"label": "partly", "score": 0.5},
            "identifier": label_id,
        }
    ]
    assert desk.counts() == {"delivered": 4}


@pytest.mark.parametrize(
    ("label", "score"),
    [(Label.SUPPORTED, 1.0), (Label.PARTLY, 0.5), (Label.UNSUPPORTED, 0.0), (Label.NO_CLAIM, None)],
)
def test_every_label_has_a_score_or_none(desk: Desk, phoenix: Receiver, label: Label, score: float | None) -> None:
    desk.label(label)
    desk.run()
    assert bodies(phoenix)[-1][0]["result"] == {"label": label.value, "score": score}


def test_thumbs_become_annotations_too(make_desk: MakeDesk, phoenix: Receiver) -> None:
    make_desk().run()
    (sent,) = bodies(phoenix)
    assert {(each["name"], each["result"]["label"], each["result"]["score"]) for each in sent} == {
        ("ragvigil.feedback", "thumbs_down", 0.0)
    }
    assert len({each["identifier"] for each in sent}) == len(sent) == 3


def test_feedback_whose_answer_is_not_known_waits_outside(desk: Desk, phoenix: Receiver) -> None:
    nowhere = {"trace_id": b"t" * 16, "span_id": b"s" * 8, "started_at": desk.now.replace(tzinfo=None)}
    insert_events(desk.service.store, [thumbs_down(nowhere, hours_later=0)])
    desk.run()
    assert desk.counts() == {"delivered": 3}


def test_nobody_is_named(desk: Desk, phoenix: Receiver) -> None:
    desk.label(Label.SUPPORTED)
    desk.run()
    sent = phoenix.to(PATH)[-1]
    assert REVIEWER not in sent.body.decode() + str(sent.headers)


def test_only_the_first_label_of_an_answer_is_sent(desk: Desk, phoenix: Receiver) -> None:
    _, first = desk.label(Label.UNSUPPORTED)
    desk.now += timedelta(seconds=1)
    seconds = [desk.label(Label.SUPPORTED, "grace")[1] for _ in range(30)]
    desk.run()
    desk.run()
    sent = [each["identifier"] for body in bodies(phoenix, 1) for each in body]
    assert first in sent
    assert len(sent) == len(set(sent)) == 30
    assert len(set(seconds) - set(sent)) == 1


def test_what_was_delivered_is_not_sent_again(desk: Desk, phoenix: Receiver) -> None:
    desk.label(Label.SUPPORTED)
    for _ in range(3):
        desk.run(later_s=3600)
    assert len(phoenix.requests) == 2


def test_outside_the_share_nothing_is_sent_and_that_is_counted(make_desk: MakeDesk, phoenix: Receiver) -> None:
    desk = make_desk(share=0.4)
    labelled = {desk.label(Label.SUPPORTED)[0] for _ in range(20)}
    desk.run()
    desk.run()
    inside = {span_id for span_id in labelled if is_in_share(desk.traces[span_id], 0.4)}
    sent = [each["span_id"] for body in bodies(phoenix) for each in body if each["name"] == "ragvigil.review"]
    assert sorted(sent) == sorted(inside)
    assert 3 < len(inside) < 16
    counts = desk.counts()
    assert counts["delivered"] + counts["not_forwarded"] == 23
    assert "waiting" not in counts


def test_a_full_outbox_goes_in_portions(desk: Desk, phoenix: Receiver) -> None:
    for _ in range(MOST_SENT + 5):
        desk.label(Label.SUPPORTED)
    desk.run()
    desk.run()
    assert [len(body) for body in bodies(phoenix, 1)] == [MOST_SENT, 5]


def test_a_span_that_phoenix_does_not_know_yet_keeps_no_other(desk: Desk, phoenix: Receiver) -> None:
    desk.label(Label.SUPPORTED)
    desk.label(Label.PARTLY)
    unknown = Reply(404, body=b"Spans with IDs 1f do not exist.")
    phoenix.answers = [unknown, unknown, Reply()]
    desk.run()
    assert desk.counts() == {"delivered": 4, "waiting": 1}
    assert [len(body) for body in bodies(phoenix, 1)] == [2, 1, 1]
    desk.run(later_s=1)
    assert len(phoenix.requests) == 4
    desk.run(later_s=30)
    assert desk.counts() == {"delivered": 5}


def test_what_phoenix_never_takes_is_given_up_and_says_why(desk: Desk, phoenix: Receiver) -> None:
    desk.label(Label.SUPPORTED)
    phoenix.answers = [Reply(404, body=b"Spans with IDs 1f do not exist.") for _ in range(MOST_REFUSALS)]
    for _ in range(MOST_REFUSALS + 3):
        desk.run(later_s=2 * 3600)
    assert desk.counts() == {"delivered": 3, "given_up": 1}
    assert annotation_counts(desk.service.store, desk.now).last_error == "HTTP 404: Spans with IDs 1f do not exist."
    assert len(phoenix.requests) == 1 + MOST_REFUSALS


@pytest.mark.parametrize("status_", [401, 429, 500, 503])
def test_one_that_takes_nothing_is_asked_rarely_and_gets_all_later(desk: Desk, phoenix: Receiver, status_: int) -> None:
    for _ in range(3):
        desk.label(Label.SUPPORTED)
    phoenix.answers = [Reply(status_)] * 2
    desk.run()
    desk.run(later_s=1)
    assert len(phoenix.requests) == 2
    desk.run(later_s=30)
    desk.run(later_s=600)
    assert len(phoenix.requests) == 4
    assert desk.counts() == {"delivered": 6}


def test_one_that_is_down_is_a_problem_of_the_monitor(make_desk: MakeDesk) -> None:
    port = free_port()
    desk = make_desk(url=f"http://127.0.0.1:{port}")
    desk.run()
    found = annotation_counts(desk.service.store, desk.now)
    assert (found.waiting, found.unreached_since) == (3, NOW)
    assert "ConnectError" in (found.last_error or "")
    (problem,) = status(desk.service).problems
    assert (problem.part, problem.since, problem.detail) == ("Phoenix annotations", NOW, found.last_error)
    desk.run(later_s=3600)
    assert desk.counts() == {"waiting": 3}
    with receiving(port):
        for _ in range(2):
            desk.run(later_s=600)
    assert desk.counts() == {"delivered": 3}
    assert status(desk.service).problems == []


def test_what_is_no_longer_sent_is_no_problem_any_more(make_desk: MakeDesk) -> None:
    desk = make_desk(url=f"http://127.0.0.1:{free_port()}")
    desk.run()
    at_the_end = replace(desk.service, clock=lambda: NOW + timedelta(days=31))
    assert [problem.part for problem in status(desk.service).problems] == ["Phoenix annotations"]
    assert status(at_the_end).problems == []


def test_one_that_never_answers_costs_one_attempt_a_run(desk: Desk, phoenix: Receiver) -> None:
    for _ in range(3):
        desk.label(Label.SUPPORTED)
    phoenix.released.clear()
    desk.run()
    phoenix.released.set()
    assert desk.counts() == {"delivered": 3, "waiting": 3}
    assert len(phoenix.requests) == 2
    assert "Timeout" in (annotation_counts(desk.service.store, desk.now).last_error or "")


def test_what_is_older_than_traces_are_kept_is_not_sent(desk: Desk, phoenix: Receiver) -> None:
    desk.label(Label.SUPPORTED)
    desk.run(later_s=31 * 86400)
    assert len(phoenix.requests) == 1
    assert desk.counts() == {}
