"""What the app searches: the corpus, its encoder, its index, and the parts of a healthy app; built once, in seconds."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from ragvigil_monitor.demo.access import READERS_FIELD, readers
from ragvigil_monitor.demo.answerer import Answerer
from ragvigil_monitor.demo.corpus import Entry, read_corpus
from ragvigil_monitor.demo.embedding import Encoder
from ragvigil_monitor.demo.extractor import Extractor
from ragvigil_monitor.demo.index import Index
from ragvigil_monitor.demo.latency import Latency
from ragvigil_monitor.demo.parts import Parts
from ragvigil_monitor.demo.pricing import Prices
from ragvigil_monitor.demo.questioner import Questioner
from ragvigil_monitor.demo.reactions import Habits
from ragvigil_monitor.demo.reranker import Reranker
from ragvigil_monitor.demo.words import words

INDEX_VERSION = platform.python_version()
"""The corpus changes with Python and with nothing else."""


@dataclass(frozen=True, slots=True, repr=False)
class Library:
    """Documents by id, and how they are found."""

    entries: Mapping[str, Entry]
    encoder: Encoder
    index: Index

    @classmethod
    def build(cls, corpus: Sequence[Entry] | None = None) -> Self:
        """Encode and index a corpus, by default the standard library's docstrings."""
        entries = read_corpus() if corpus is None else tuple(corpus)
        texts = [entry.indexed_text for entry in entries]
        encoder = Encoder.fit(texts)
        ids, passages = [entry.id for entry in entries], [entry.text for entry in entries]
        index = Index(ids, passages, encoder.encode_all(texts), [*map(metadata, entries)])
        return cls({entry.id: entry for entry in entries}, encoder, index)

    def metadata_of(self, document: str) -> dict[str, Any]:
        """What a filter can ask of a document; KeyError for an id that is not here."""
        return metadata(self.entries[document])

    def healthy_parts(self, seed: int) -> Parts:
        """The app and its users as they are without an incident."""
        entries = tuple(self.entries.values())
        return Parts(
            questioner=Questioner(entries, seed=seed),
            extract=Extractor.knowing(entries).extract,
            reranker=Reranker({e.id: frozenset(words(e.indexed_text)) for e in entries}, self.encoder),
            answerer=Answerer(self.encoder),
            latency=Latency.normal(seed),
            prices=Prices(),
            habits=Habits(),
        )


def metadata(entry: Entry) -> dict[str, Any]:
    """What a filter can ask of a document."""
    return {
        "package": entry.package,
        "module": entry.module,
        "kind": entry.kind,
        READERS_FIELD: list(readers(entry.package)),
    }
