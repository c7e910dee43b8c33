"""The API over real HTTP: one shared service with the sample, and small ones that a test fills itself."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from tests.samples.fresh_stores import fresh_store
from tests.samples.stores import Sample, sample
from tests.samples.world import World, running_world

NOW = datetime(2026, 11, 30, 3, 0, tzinfo=UTC)


@pytest.fixture(scope="session")
def shared_sample() -> Sample:
    return sample(NOW)


@pytest.fixture(scope="session")
def sampled(shared_sample: Sample) -> Iterator[World]:
    """The sample behind a service; for reading only."""
    with running_world(shared_sample.store, NOW) as world:
        yield world


@pytest.fixture
def disposable() -> Iterator[World]:
    """A sample of a day that a test may change."""
    with running_world(sample(NOW, days=1, per_day=40).store, NOW) as world:
        yield world


@pytest.fixture
def empty() -> Iterator[World]:
    """A service whose store holds nothing yet."""
    with running_world(fresh_store(), NOW) as world:
        yield world
