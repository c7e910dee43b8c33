from datetime import UTC, datetime

import pytest

from ragvigil_monitor.demo.corpus import Entry, read_corpus
from ragvigil_monitor.demo.embedding import Encoder
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.parts import Parts

NOW = datetime(2026, 11, 30, 12, 34, 56, tzinfo=UTC)


@pytest.fixture(scope="session")
def corpus() -> tuple[Entry, ...]:
    return read_corpus()


@pytest.fixture(scope="session")
def encoder(corpus: tuple[Entry, ...]) -> Encoder:
    return Encoder.fit([entry.indexed_text for entry in corpus])


@pytest.fixture
def now() -> datetime:
    return NOW


@pytest.fixture(scope="session")
def library(corpus: tuple[Entry, ...]) -> Library:
    return Library.build(corpus)


@pytest.fixture(scope="session")
def healthy(library: Library) -> Parts:
    return library.healthy_parts(seed=7)
