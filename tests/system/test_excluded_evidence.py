"""A real pipeline on Qdrant, with a hard filter on language: stored probes tell exactly which questions it hurt."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from qdrant_client import models
from tests.samples.multilingual import corpus
from tests.samples.multilingual.app import App, qdrant_filter, watched_by
from tests.samples.multilingual.corpus import Corpus, Document, Question, Request
from tests.samples.multilingual.encoder import CrossLingualEncoder
from tests.samples.multilingual.evidence import (
    ByHand,
    StoredPair,
    StoredSearch,
    excluded_by_probes,
    excluded_on_the_shelves,
    pairs,
    stored_searches,
)

import ragvigil
from ragvigil import ProbeCounts, relevance, where
from ragvigil import attributes as names
from ragvigil.predicates import eq

K = 5
SEED = 20261130


@dataclass(frozen=True, slots=True)
class Run:
    """Questions that were asked of an application, and what the monitor stored of it."""

    asked: list[Request]
    documents: list[Document]
    encoder: CrossLingualEncoder
    app: App
    searches: list[StoredSearch]
    probes: ProbeCounts

    @property
    def stored(self) -> dict[str, StoredPair]:
        """By the question's id its search and its probe."""
        return pairs(self.searches)


Runs = Callable[..., Run]


@pytest.fixture
def run(monitor: Any) -> Runs:
    """Ask questions in this process, watched by a real monitor, every search probed; ends the monitor."""

    def asked_all(texts: Corpus, questions: Sequence[Question], *, hard_locale: bool) -> Run:
        documents, encoder = corpus.shelved(texts, SEED), CrossLingualEncoder(texts.passages)
        asked = corpus.requests(questions, documents, SEED)
        app = App(documents, encoder, k=K, hard_locale=hard_locale)
        with watched_by(monitor.url):
            for request in asked:
                app.answer(request)
            assert ragvigil.flush(timeout_s=120)
            (process,) = monitor.get("/completeness")
            assert process["share"] == 1.0
            probes = ragvigil.counts().probes
        app.close()
        assert monitor.serving.stop() == 0
        return Run(asked, documents, encoder, app, stored_searches(monitor.database), probes)

    return asked_all


def assert_probes_are_whole(done: Run) -> None:
    """Each search has its probe, which is deeper, tells of each document, and shows nothing of another tenant."""
    assert done.probes == ProbeCounts(sampled=len(done.asked), run=len(done.asked))
    stored = done.stored
    assert stored.keys() == {request.question.id for request in done.asked}
    by_id = {document.passage.id: document for document in done.documents}
    for request in done.asked:
        pair = stored[request.question.id]
        found = pair.probe.documents
        assert (len(found), pair.probe.top_k, pair.filtered.top_k) == (2 * K, 2 * K, K)
        assert all(request.may_see(by_id[name]) for name in found)
        assert pair.probe.passes == {name: by_id[name].passage.locale == request.question.locale for name in found}


def assert_every_request_names_the_tenant(done: Run) -> None:
    """What Qdrant was really asked, twice for each question: for its tenant, by the probe for nothing else."""
    expected = sorted((request.question.text, request.tenant) for request in done.asked)
    conditions = [(text, {c.key: c.match.value for c in asked.must}) for text, asked in done.app.asked]  # type: ignore[union-attr]  # those of this app
    assert sorted((text, c["tenants"]) for text, c in conditions if c.keys() == {"tenants", "locale"}) == expected
    assert sorted((text, c["tenants"]) for text, c in conditions if c.keys() == {"tenants"}) == expected
    assert len(conditions) == 2 * len(expected)


def test_probes_tell_exactly_which_questions_lost_their_evidence(run: Runs) -> None:
    texts = corpus.written()
    done = run(texts, texts.questions, hard_locale=True)
    assert_probes_are_whole(done)
    assert_every_request_names_the_tenant(done)
    true = excluded_on_the_shelves(done.asked, done.documents)
    assert excluded_by_probes(done.stored, done.asked, done.documents) == true
    assert len(done.asked) == 120
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
    assert done.probes == ProbeCounts()
    found = {search.asked_as: search.documents for search in done.searches}
    assert len(found) == 30
    for request in done.asked:
        answers = [d for d in done.documents if request.may_see(d) and request.is_answered_by(d)]
        assert bool(answers) is any(d.passage.id in found[request.question.id] for d in answers)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_same_holds_for_real_text(run: Runs) -> None:
    folder = corpus.folder_of_real_text()
    if not (folder / "questions.jsonl.gz").exists():
        pytest.skip(f"no real text in {folder}; RAGVIGIL_TEST_DATA names a folder with passages and questions")
    texts = corpus.real(folder)
    done = run(texts, random.Random(SEED).sample(texts.questions, 200), hard_locale=True)
    assert_probes_are_whole(done)
    assert_every_request_names_the_tenant(done)
    by_hand = ByHand(done.documents, done.encoder)
    true = {request.question.id for request in done.asked if by_hand.is_excluded(request, K)}
    assert excluded_by_probes(done.stored, done.asked, done.documents) == true
    on_the_shelves = excluded_on_the_shelves(done.asked, done.documents)
    assert true <= on_the_shelves
    assert len(true) >= 0.9 * len(on_the_shelves) >= 30


def test_a_search_that_names_no_tenant_is_refused() -> None:
    assert qdrant_filter(where(eq("tenants", "acme"))) == models.Filter(
        must=[models.FieldCondition(key="tenants", match=models.MatchValue(value="acme"))]
    )
    with pytest.raises(ValueError, match="for which tenant"):
        qdrant_filter(where(relevance(eq("locale", "de"))))
