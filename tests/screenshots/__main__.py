"""Pictures of the pages for the README: `python -m tests.screenshots [--url URL] [--review-url URL]`.

Without an address the on-call app shows the sample of the tests, and there is no picture of the review.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Page
from tests.samples.chromium import chromium_path, new_page, open_settled, running_browser, settle
from tests.samples.servers import running_api, running_dashboard, running_service
from tests.samples.stores import sample

from ragvigil_monitor.keys import Keys

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def main() -> int:
    """Take the pictures; 2 where there is no Chromium."""
    args = _arguments()
    chromium = chromium_path()
    if chromium is None:
        print("Chromium is not installed: apt-get install chromium", file=sys.stderr)
        return 2
    args.out.mkdir(parents=True, exist_ok=True)
    with _address(args.url) as url, running_browser(chromium) as browser:
        for path in take(new_page(browser, args.scheme), url, args.out):
            print(path)
        if args.review_url is not None:
            print(take_review(new_page(browser, args.scheme), args.review_url, args.out))
    return 0


def take(page: Page, url: str, folder: Path) -> Iterator[Path]:
    """Overview, signals, evidence and the answer that the first alert, or else the list, leads to."""
    open_settled(page, url)
    page.locator(".rv-headline").wait_for()
    yield _picture(page, folder / "overview.png")
    links = page.locator(".rv-trace")
    if links.count() == 0:
        open_settled(page, f"{url}/answers?order=slowest")
    answer = links.first.get_attribute("href")
    open_settled(page, f"{url}/signals?shown=28+d&window=24+h")
    page.locator("[data-testid=stVegaLiteChart] :is(canvas, svg)").first.wait_for()
    yield _picture(page, folder / "signals.png")
    open_settled(page, f"{url}/evidence")
    yield _picture(page, folder / "evidence.png")
    open_settled(page, f"{url}/{answer}")
    yield _picture(page, folder / "answer.png")


def take_review(page: Page, url: str, folder: Path) -> Path:
    """The item that a new reviewer is given."""
    open_settled(page, url)
    page.get_by_role("textbox").first.fill("ada")
    page.keyboard.press("Enter")
    page.locator(".rw-item, .rr-desk").first.wait_for()
    settle(page)
    return _picture(page, folder / "review.png")


def _picture(page: Page, path: Path) -> Path:
    page.screenshot(path=path, animations="disabled")
    return path


@contextmanager
def _address(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url.rstrip("/")
        return
    keys, made = Keys.generate(), sample(datetime.now(UTC))
    with tempfile.TemporaryDirectory() as folder:
        key_file = Path(folder) / "keys.json"
        key_file.write_text(json.dumps(dict(keys.by_role)), encoding="utf-8")
        with (
            running_service(made.store, keys) as service,
            running_api(service) as api,
            running_dashboard(api, key_file) as address,
        ):
            yield address


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.screenshots", description="Pictures of the pages.")
    parser.add_argument("--url", help="a running on-call app (default: start one on sample data)")
    parser.add_argument("--review-url", help="a running review app with something to review")
    parser.add_argument("--out", type=Path, default=IMAGES, help="folder for the pictures (default: docs/images)")
    parser.add_argument("--scheme", choices=["light", "dark"], default="light", help="colours (default: light)")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
