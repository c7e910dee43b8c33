"""A search that remembers what it was asked, and its probe."""

import threading
from collections.abc import Callable
from typing import Any

import ragvigil
from ragvigil import attributes as names
from ragvigil import entitlement, relevance, where
from ragvigil.predicates import eq
from ragvigil.testing import SpanSnapshot

SAID = where(entitlement(eq("tenant", "acme")), relevance(eq("lang", "de"), origin="rule"), relevance(eq("kind", "a")))


class Index:
    """A search function that remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[object, int]] = []
        self.queries: list[str] = []
        self.threads: list[threading.Thread] = []

    def search(self, query: str, where: object = None, k: int = 3) -> list[str]:
        self.queries.append(query)
        self.asked.append((where, k))
        self.threads.append(threading.current_thread())
        return [f"d{number}" for number in range(k)]


def decorated(index: Index, **options: Any) -> Callable[..., list[str]]:
    return ragvigil.retriever(**{"filter": "where", "top_k": "k", **options})(index.search)


def split(spans: list[SpanSnapshot]) -> tuple[SpanSnapshot, SpanSnapshot]:
    """The only probed retrieval and its only probe."""
    (probe,) = [span for span in spans if names.PROBE_KIND in span.attributes]
    (probed,) = [span for span in spans if span.name == "retrieve" and span is not probe]
    return probed, probe
