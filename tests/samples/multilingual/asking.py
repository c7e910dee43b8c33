"""Ask an application questions in this process, watched by a real monitor, every search probed."""

from collections.abc import Sequence
from dataclasses import dataclass

from tests.samples.monitors import Monitor
from tests.samples.multilingual import corpus
from tests.samples.multilingual.app import App, watched_by
from tests.samples.multilingual.corpus import Corpus, Document, Question, Request
from tests.samples.multilingual.encoder import CrossLingualEncoder

import ragvigil
from ragvigil import ProbeCounts
from ragvigil.clock import Clock

K = 5
SEED = 20261130


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions that were asked of an application."""

    requests: list[Request]
    documents: list[Document]
    encoder: CrossLingualEncoder
    app: App
    probes: ProbeCounts


def ask(
    monitor: Monitor,
    texts: Corpus,
    questions: Sequence[Question],
    *,
    hard_locale: bool,
    clock: Clock | None = None,
) -> Asked:
    """Ask, and wait until everything has arrived; clock: of the application, None for the present."""
    documents, encoder = corpus.shelved(texts, SEED), CrossLingualEncoder(texts.passages)
    requests = corpus.requests(questions, documents, SEED)
    app = App(documents, encoder, k=K, hard_locale=hard_locale)
    with watched_by(monitor.url, clock):
        for request in requests:
            app.answer(request)
        assert ragvigil.flush(timeout_s=120)
        (process,) = monitor.get("/completeness")
        assert process["share"] == 1.0
        probes = ragvigil.counts().probes
    app.close()
    return Asked(requests, documents, encoder, app, probes)


def assert_every_request_names_the_tenant(asked: Asked, *, hard_locale: bool = True) -> None:
    """What Qdrant was really asked: for each question its tenant, and by the probe of a hard filter nothing else."""
    expected = sorted((request.question.text, request.tenant) for request in asked.requests)
    conditions = [(text, {c.key: c.match.value for c in said.must}) for text, said in asked.app.asked]  # type: ignore[union-attr]  # those of this app
    kinds = [{"tenants", "locale"}, {"tenants"}] if hard_locale else [{"tenants"}]
    for kind in kinds:
        assert sorted((text, c["tenants"]) for text, c in conditions if c.keys() == kind) == expected
    assert len(conditions) == len(kinds) * len(expected)
