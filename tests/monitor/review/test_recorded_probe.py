"""From an instrumented application to the reviewer: a real probe is paired with the search that it probed."""

from datetime import UTC, datetime, timedelta

import pytest
from tests.samples.reviews import draw_reviews
from tests.samples.servers import running_api, running_service

import ragvigil
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.review import queue
from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.store import Store

SHARE = 0.999999


@ragvigil.retriever(filter="where", query="query", top_k="k", relevance=("lang",))
def search(query: str, *, where: dict[str, str], k: int = 2) -> list[dict[str, str]]:
    """English documents where that is asked for, else all; a tenant is always asked for."""
    assert where["tenant"] == "acme"
    found = [f"{query}-en-1", f"{query}-en-2"] if "lang" in where else [f"{query}-de-1", f"{query}-en-1"]
    return [{"id": id_, "text": f"Text of {id_}."} for id_ in found[:k]]


@pytest.mark.timeout(60)
def test_a_search_and_its_probe_reach_the_reviewer_together(memory_store: Store) -> None:
    later = datetime.now(UTC) + timedelta(hours=4)
    with (
        running_service(memory_store, Keys.generate(), lambda: later, review={"unfiltered_share": 0.0}) as service,
        running_api(service) as url,
    ):
        ragvigil.configure(
            service_name="shop", endpoint=url, secret_key=b"k" * 16, probe_share=SHARE, document_texts=True
        )
        try:
            with ragvigil.pipeline("ask") as answer:
                answer.set(question="May I send it back?")
                search("returns", where={"tenant": "acme", "lang": "en"})
            assert ragvigil.flush(10)
        finally:
            ragvigil.shutdown()
        draw_reviews(service)
        lease = queue.lease_next(
            memory_store, service.settings.review, "ada", resume=False, now=later, kind=Kind.RELEVANCE
        )
    assert lease is not None
    assert lease.content.question == "May I send it back?"
    assert {each.text for each in lease.content.evidence} == {
        f"Text of returns-{name}." for name in ("en-1", "en-2", "de-1")
    }
    (row,) = memory_store.rows(
        "reviews_between", kind="relevance", start=later - timedelta(days=1), end=later, now=later
    )
    assert (row["stratum"], row["sampling_probability"]) == ("filter_probe", SHARE)
