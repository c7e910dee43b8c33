"""Which questions lost their evidence to a filter: as stored probes tell it, and as the corpus knows it."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from tests.samples.multilingual.app import CITED
from tests.samples.multilingual.corpus import Document, Request
from tests.samples.multilingual.encoder import CrossLingualEncoder, Vectors

from ragvigil import attributes as names

SEARCHES = """
SELECT hex(s.trace_id) || '-' || hex(s.span_id), s.probe_id, s.top_k, s.output_documents, s.attributes, a.session_id
FROM spans AS s LEFT JOIN answers AS a ON a.trace_id = s.trace_id
WHERE s.stage = 'retrieve'
"""


@dataclass(frozen=True, slots=True)
class StoredSearch:
    """A retrieval in the store. probes: the id of the search that it did again; asked_as: the question's id."""

    id: str
    probes: str | None
    top_k: int
    documents: list[str]
    attributes: dict[str, Any]
    asked_as: str | None

    @property
    def passes(self) -> dict[str, bool | None]:
        """Whether each document passes the clauses that the probe dropped."""
        return dict(zip(self.documents, json.loads(self.attributes[names.PROBE_PASSES]), strict=True))


@dataclass(frozen=True, slots=True)
class StoredPair:
    """A filtered search and its probe."""

    filtered: StoredSearch
    probe: StoredSearch

    def is_excluded(self, is_relevant: Callable[[str], bool]) -> bool:
        """Whether relevant documents were found and the filter kept out every one; raises where that is not known."""
        relevant = {name for name in self.filtered.documents + self.probe.documents if is_relevant(name)}
        verdicts = [name in self.filtered.documents or self.probe.passes[name] for name in relevant]
        if None in verdicts:
            raise ValueError(f"{self.probe.id} does not tell whether its documents pass")
        return bool(verdicts) and not any(verdicts)


def stored_searches(database: Path) -> list[StoredSearch]:
    """Every retrieval in a store that no process has open."""
    with duckdb.connect(str(database), read_only=True) as store:
        rows = store.execute(SEARCHES).fetchall()
    return [
        StoredSearch(id_.lower(), probes, top_k, _ids(documents), json.loads(attributes), asked_as)
        for id_, probes, top_k, documents, attributes, asked_as in rows
    ]


def pairs(searches: Iterable[StoredSearch]) -> dict[str, StoredPair]:
    """By the question's id each filtered search with its probe; raises KeyError for a probe of nothing."""
    filtered = {search.id: search for search in searches if search.probes is None}
    probes = [search for search in searches if search.probes is not None]
    joined = [StoredPair(filtered[str(probe.probes)], probe) for probe in probes]
    return {str(pair.filtered.asked_as): pair for pair in joined}


def excluded_by_probes(stored: dict[str, StoredPair], asked: Iterable[Request], documents: list[Document]) -> set[str]:
    """The questions whose evidence the filter kept out, as probes and a perfect reviewer tell it."""
    by_id = {document.passage.id: document for document in documents}
    return {
        request.question.id
        for request in asked
        if stored[request.question.id].is_excluded(
            lambda name, request=request: request.is_answered_by(by_id[name])  # type: ignore[misc]  # binds the loop's
        )
    }


def excluded_on_the_shelves(asked: Iterable[Request], documents: Sequence[Document]) -> set[str]:
    """The questions that are answered in other languages only, by documents that the asker may see."""
    return {
        request.question.id
        for request in asked
        if (answers := {d.passage.locale for d in documents if request.may_see(d) and request.is_answered_by(d)})
        and request.question.locale not in answers
    }


@dataclass(frozen=True, slots=True)
class Fate:
    """What truly became of the evidence of one request; documents: the relevant ones, each with its last stage."""

    documents: dict[str, str | None]
    lost_at: str | None


class ByHand:
    """The searches of the application again, by comparing everything with everything, without database or probe."""

    def __init__(
        self, documents: Sequence[Document], encoder: CrossLingualEncoder, *, k: int, hard_locale: bool
    ) -> None:
        self._documents = documents
        self._encoder = encoder
        self._vectors: Vectors = encoder.encode([document.passage.text for document in documents])
        self._k = k
        self._hard_locale = hard_locale

    def excluded(self, asked: Iterable[Request]) -> set[str]:
        """The questions whose evidence, among what both searches can find, is in other languages only."""
        return {request.question.id for request in asked if self.fate(request).lost_at == "filter"}

    def fate(self, request: Request) -> Fate:
        """Follow what answers a question from both searches into the citations."""
        ranked = self._ranked(request)
        passing = [each for each in ranked if not self._hard_locale or each.passage.locale == request.question.locale]
        found = passing[: self._k]
        seen = found + (ranked[: 2 * self._k] if self._hard_locale else [])
        relevant = [document for document in seen if request.is_answered_by(document)]
        last_seen = {each.passage.id: _last_seen(each, found) for each in relevant}
        return Fate(last_seen, _lost_at(set(last_seen.values()), passes=any(each in passing for each in relevant)))

    def _ranked(self, request: Request) -> list[Document]:
        scores = self._vectors @ self._encoder.encode([request.question.text])[0]
        return [self._documents[i] for i in np.argsort(-scores) if request.may_see(self._documents[i])]


def _last_seen(document: Document, found: list[Document]) -> str | None:
    if document not in found:
        return None
    return "citation" if document in found[:CITED] else "context"


def _lost_at(last_seen: set[str | None], *, passes: bool) -> str | None:
    if not last_seen:
        return None
    if last_seen == {None}:
        return "retrieve" if passes else "filter"
    return "kept" if "citation" in last_seen else "citation"


def _ids(documents: str) -> list[str]:
    return [document["id"] for document in json.loads(documents)]
