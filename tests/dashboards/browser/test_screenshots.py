"""The pictures of the README."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser
from tests.samples.chromium import new_page
from tests.screenshots.__main__ import take

pytestmark = pytest.mark.browser


def test_the_pictures_are_taken(app: str, browser: Browser, tmp_path: Path) -> None:
    page = new_page(browser)
    taken = list(take(page, app, tmp_path))
    page.context.close()
    assert [path.name for path in taken] == ["overview.png", "signals.png", "evidence.png", "answer.png"]
    assert all(path.stat().st_size > 20_000 for path in taken)
