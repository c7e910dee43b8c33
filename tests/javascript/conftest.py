"""These tests want the OpenTelemetry SDK for JavaScript; `make test-javascript` installs it and asks for them."""

import os
import shutil
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PACKAGES = HERE.parents[1] / ".javascript"
PROGRAM = HERE.parent / "samples" / "senders" / "javascript" / "send.mjs"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("RAGVIGIL_TESTS_JAVASCRIPT"):
        return
    unwanted = pytest.mark.skip(reason="the JavaScript SDK is not installed here; run `make test-javascript` for that")
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(unwanted)


@pytest.fixture(scope="session")
def program() -> Path:
    """The sender, beside the packages that it imports."""
    if not (PACKAGES / "node_modules").exists():
        pytest.fail("There is no .javascript/node_modules; run `make setup-javascript`.")
    return Path(shutil.copy(PROGRAM, PACKAGES))
