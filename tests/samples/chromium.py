"""Headless Chromium for tests and pictures."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from playwright.sync_api import Browser, Page, sync_playwright

WIDTH, HEIGHT = 1400, 900
SETTLED_WITHIN_MS = 30_000
_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
_SETTLED = "!document.querySelector('[data-testid=stStatusWidget], [data-testid=stSkeleton], [data-stale=true]')"


def chromium_path() -> str | None:
    """Where Chromium is installed; RAGVIGIL_TESTS_CHROMIUM names another place."""
    return os.environ.get("RAGVIGIL_TESTS_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@contextmanager
def running_browser(path: str) -> Iterator[Browser]:
    """A browser that talks to nobody but the pages."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def new_page(browser: Browser, scheme: Literal["light", "dark"] = "light") -> Page:
    """A page in a context of its own, for a reader in Berlin."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme, timezone_id="Europe/Berlin"
    )
    context.set_default_timeout(SETTLED_WITHIN_MS)
    return context.new_page()


def open_settled(page: Page, address: str) -> None:
    """Open an address and wait until Streamlit has drawn all of it."""
    page.goto(address)
    settle(page)


def settle(page: Page) -> None:
    """Wait until Streamlit has drawn all of the page."""
    page.locator(".stHtml").first.wait_for(state="attached")
    page.wait_for_load_state("networkidle")
    page.wait_for_function(_SETTLED)
