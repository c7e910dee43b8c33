"""From an instrumented application to the reviewer: the texts that it records are the evidence."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.samples.reviews import draw_reviews
from tests.samples.servers import running_api, running_service

import ragvigil
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.review import queue
from ragvigil_monitor.store import Store

TEXTS = {"doc-1": "Returns are free for 30 days.", "doc-2": "Gift cards never expire.", "doc-3": "Open on Sundays."}


def ask(question: str) -> None:
    """A small application, instrumented as the documentation says."""
    with ragvigil.pipeline("ask") as answer:
        answer.set(question=question)
        with ragvigil.stage("retrieve") as stage:
            stage.outputs(list(TEXTS), [0.9, 0.8, 0.7], list(TEXTS.values()))
        with ragvigil.stage("assemble") as stage:
            stage.context(["doc-2", "doc-1"])
        answer.set(answer="Returns are free.")


@pytest.mark.timeout(60)
def test_texts_of_the_assembled_context_reach_the_reviewer(memory_store: Store) -> None:
    tomorrow = datetime.now(UTC) + timedelta(hours=30)
    with (
        running_service(memory_store, Keys.generate(), lambda: tomorrow, review={"uniform_share": 1.0}) as service,
        running_api(service) as url,
    ):
        ragvigil.configure(service_name="shop", endpoint=url, document_texts=True)
        try:
            ask("May I send it back?")
            assert ragvigil.flush(10)
        finally:
            ragvigil.shutdown()
        draw_reviews(service)
        lease = queue.lease_next(memory_store, service.settings.review, "ada", resume=False, now=tomorrow)
    assert lease is not None
    assert (lease.content.question, lease.content.answer) == ("May I send it back?", "Returns are free.")
    assert {passage.text for passage in lease.content.evidence} == {TEXTS["doc-1"], TEXTS["doc-2"]}
