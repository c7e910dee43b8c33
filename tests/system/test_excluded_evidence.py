"""A real pipeline on Qdrant, with a hard filter on language: stored probes tell exactly which questions it hurt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from qdrant_client import models
from tests.samples.monitors import Monitor
from tests.samples.multilingual import corpus
from tests.samples.multilingual.app import qdrant_filter
from tests.samples.multilingual.asking import SEED, Asked, K, ask, assert_every_request_names_the_tenant
from tests.samples.multilingual.corpus import Corpus, Question
from tests.samples.multilingual.evidence import (
    ByHand,
    StoredPair,
    StoredSearch,
    excluded_by_probes,
    excluded_on_the_shelves,
    pairs,
    stored_searches,
)

from ragvigil import ProbeCounts, relevance, where
from ragvigil import attributes as names
from ragvigil.predicates import eq


@dataclass(frozen=True, slots=True)
class Run:
    """Questions that were asked of an application, and what the monitor stored of it."""

    asked: Asked
    searches: list[StoredSearch]

    @property
    def stored(self) -> dict[str, StoredPair]:
        """By the question's id its search and its probe."""
        return pairs(self.searches)


Runs = Callable[..., Run]


@pytest.fixture
def run(monitor: Monitor) -> Runs:
    """Ask questions in this process, watched by a real monitor, every search probed; ends the monitor."""

    def asked_all(texts: Corpus, questions: Sequence[Question], *, hard_locale: bool) -> Run:
        asked = ask(monitor, texts, questions, hard_locale=hard_locale)
        assert monitor.serving.stop() == 0
        return Run(asked, stored_searches(monitor.database))

    return asked_all


def assert_probes_are_whole(done: Run) -> None:
    """Each search has its probe, which is deeper, tells of each document, and shows nothing of another tenant."""
    assert done.asked.probes == ProbeCounts(sampled=len(done.asked.requests), run=len(done.asked.requests))
    stored = done.stored
    assert stored.keys() == {request.question.id for request in done.asked.requests}
    by_id = {document.passage.id: document for document in done.asked.documents}
    for request in done.asked.requests:
        pair = stored[request.question.id]
        found = pair.probe.documents
        assert (len(found), pair.probe.top_k, pair.filtered.top_k) == (2 * K, 2 * K, K)
        assert all(request.may_see(by_id[name]) for name in found)
        assert pair.probe.passes == {name: by_id[name].passage.locale == request.question.locale for name in found}


def test_probes_tell_exactly_which_questions_lost_their_evidence(run: Runs) -> None:
    texts = corpus.written()
    done = run(texts, texts.questions, hard_locale=True)
    assert_probes_are_whole(done)
    assert_every_request_names_the_tenant(done.asked)
    true = excluded_on_the_shelves(done.asked.requests, done.asked.documents)
    assert excluded_by_probes(done.stored, done.asked.requests, done.asked.documents) == true
    assert len(done.asked.requests) == 120
    assert 20 <= len(true) <= 60


def test_texts_of_documents_are_stored_with_every_search(run: Runs) -> None:
    texts = corpus.written()
    done = run(texts, texts.questions[:6], hard_locale=True)
    text_of = {passage.id: passage.text for passage in texts.passages}
    assert len(done.searches) == 12
    for search in done.searches:
        prefix = f"{names.RETRIEVAL_DOCUMENTS}.{{}}.{names.DOCUMENT_CONTENT}"
        recorded = [search.attributes[prefix.format(rank)] for rank in range(len(search.documents))]
        assert recorded == [text_of[name] for name in search.documents]


def test_without_the_hard_filter_no_evidence_is_lost_and_nothing_is_probed(run: Runs) -> None:
    texts = corpus.written()
    done = run(texts, texts.questions[:30], hard_locale=False)
    assert done.asked.probes == ProbeCounts()
    found = {search.asked_as: search.documents for search in done.searches}
    assert len(found) == 30
    for request in done.asked.requests:
        answers = [d for d in done.asked.documents if request.may_see(d) and request.is_answered_by(d)]
        assert bool(answers) is any(d.passage.id in found[request.question.id] for d in answers)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_same_holds_for_real_text(run: Runs) -> None:
    texts = corpus.real_or_skip()
    done = run(texts, corpus.sample(texts.questions, 200, SEED), hard_locale=True)
    assert_probes_are_whole(done)
    assert_every_request_names_the_tenant(done.asked)
    true = ByHand(done.asked.documents, done.asked.encoder, k=K, hard_locale=True).excluded(done.asked.requests)
    assert excluded_by_probes(done.stored, done.asked.requests, done.asked.documents) == true
    on_the_shelves = excluded_on_the_shelves(done.asked.requests, done.asked.documents)
    assert true <= on_the_shelves
    assert len(true) >= 0.9 * len(on_the_shelves) >= 30


def test_a_search_that_names_no_tenant_is_refused() -> None:
    assert qdrant_filter(where(eq("tenants", "acme"))) == models.Filter(
        must=[models.FieldCondition(key="tenants", match=models.MatchValue(value="acme"))]
    )
    with pytest.raises(ValueError, match="for which tenant"):
        qdrant_filter(where(relevance(eq("locale", "de"))))
