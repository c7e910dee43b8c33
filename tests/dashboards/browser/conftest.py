"""The whole app in a browser: API, dashboard process and headless Chromium.

All of it lasts a module: the browser's driver keeps an event loop running, and no other test could run one beside it.
"""

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page
from tests.samples.chromium import chromium_path, new_page, running_browser
from tests.samples.hostile import insert_hostile_answer
from tests.samples.servers import running_api, running_dashboard, running_service
from tests.samples.stores import Sample, sample

from ragvigil_monitor.keys import Keys


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium_path()
    if path is None:
        reason = "Chromium is not installed (apt-get install chromium)"
        if os.environ.get("RAGVIGIL_TESTS_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    with running_browser(path) as running:
        yield running


@pytest.fixture(scope="module")
def watched() -> Sample:
    """The sample, with a hostile answer as the newest."""
    made = sample(datetime.now(UTC))
    insert_hostile_answer(made.store, made.now)
    return made


@pytest.fixture(scope="module")
def app(watched: Sample, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the on-call app; needs a browser, so that nothing is started for skipped tests."""
    keys = Keys.generate()
    key_file: Path = tmp_path_factory.mktemp("keys") / "keys.json"
    key_file.write_text(json.dumps(dict(keys.by_role)), encoding="utf-8")
    with (
        running_service(watched.store, keys) as service,
        running_api(service) as api,
        running_dashboard(api, key_file) as address,
    ):
        yield address


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh page; fails the test when the console shows an error or a script throws."""
    opened = new_page(browser)
    errors: list[str] = []
    opened.on("console", lambda message: errors.append(_text(message)) if _is_error(message) else None)
    opened.on("pageerror", lambda error: errors.append(str(error)))
    yield opened
    opened.context.close()
    assert errors == []


def _is_error(message: ConsoleMessage) -> bool:
    # Below the root path Streamlit first asks beside the page for its own address, and gets a 404 by design.
    return message.type == "error" and "/_stcore/" not in message.location.get("url", "")


def _text(message: ConsoleMessage) -> str:
    return f"{message.text} ({message.location.get('url')})"
