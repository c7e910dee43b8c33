"""These tests want the environment of alibi-detect; `make test-alibi` builds it and asks for them."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.samples.alibi import PYTHON, Oracle, running_oracle

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("RAGVIGIL_TESTS_ALIBI"):
        return
    unwanted = pytest.mark.skip(reason="alibi-detect is not compared here; run `make test-alibi` for that")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(unwanted)


@pytest.fixture(scope="session", autouse=True)
def environment() -> None:
    if not PYTHON.exists():
        pytest.fail("There is no .venv-alibi; run `make setup-alibi`.")


@pytest.fixture(scope="session")
def oracle(environment: None) -> Iterator[Oracle]:
    with running_oracle() as running:
        yield running
