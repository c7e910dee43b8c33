"""The whole reviewer app, used by keyboard alone."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect
from tests.samples import hostile
from tests.samples.chromium import open_settled, settle
from tests.samples.fresh_stores import fresh_store
from tests.samples.reviews import CANARY, add_exchange, draw_reviews, reviewed_store
from tests.samples.servers import running_api, running_dashboard, running_service
from tests.samples.traffic import Traffic

from ragvigil_monitor.keys import Keys
from ragvigil_monitor.store import Store

pytestmark = pytest.mark.browser

ANSWERS = 60
LONG = "A sentence of a long document that goes on and on. " * 400
BEGINNING, END = datetime(2020, 1, 1, tzinfo=UTC), datetime(2199, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class ReviewApp:
    """Address of the app and what is behind it."""

    address: str
    store: Store

    def labels(self) -> list[str]:
        rows = self.store.rows("reviews_between", kind="answer", start=BEGINNING, end=END, now=END)
        return sorted(row["first_label"] for row in rows if row["first_label"] is not None)

    def skips(self) -> int:
        rows = self.store.rows("reviews_between", kind="answer", start=BEGINNING, end=END, now=END)
        return sum(row["is_skipped"] for row in rows)


def served(store: Store, folder: Path) -> Iterator[ReviewApp]:
    keys, key_file = Keys.generate(), folder / "keys.json"
    key_file.write_text(json.dumps(dict(keys.by_role)), encoding="utf-8")
    settings = {"uniform_share": 1.0, "low_confidence_share": 0.0, "thumbs_down_share": 0.0, "second_label_share": 0.0}
    with running_service(store, keys, review=settings) as service:
        draw_reviews(service)
        with running_api(service) as api, running_dashboard(api, key_file, app="review") as address:
            yield ReviewApp(address, store)


@pytest.fixture
def review_app(browser: Browser, tmp_path: Path) -> Iterator[ReviewApp]:
    """The app in front of sixty answers; needs a browser, so that nothing is started for skipped tests."""
    yield from served(reviewed_store(datetime.now(UTC), answers=ANSWERS, days=0.2), tmp_path)


@pytest.fixture
def hostile_app(browser: Browser, tmp_path: Path) -> Iterator[ReviewApp]:
    """The app in front of one answer whose every text tries to break out, and is very long."""
    now = datetime.now(UTC)
    store, sent = fresh_store(), Traffic(slow_from=now)
    started_at = datetime.fromtimestamp(now.timestamp() - 26 * 3600, UTC)
    texts = [hostile.EVERYTHING, LONG, hostile.EVERYTHING]
    add_exchange(sent, np.random.default_rng(1), started_at, hostile.EVERYTHING, hostile.EVERYTHING + LONG, texts)
    sent.insert(store)
    yield from served(store, tmp_path)


def tab_to(page: Page, label: str) -> None:
    """Press Tab until the field or region with this label has the focus."""
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.get_by_label(label, exact=True).evaluate("element => element === document.activeElement"):
            return
    raise AssertionError(f"Tab does not reach {label}")


def begin(page: Page, app: ReviewApp, name: str = "Ada 1234") -> None:
    open_settled(page, app.address)
    tab_to(page, "Your name, the same every time")
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    expect(page.locator(".rw-item")).to_be_visible()
    settle(page)


def read(page: Page) -> None:
    """Look at the answer for more than the half second in which no key decides."""
    settle(page)
    shown_at = page.evaluate("performance.now()")
    page.wait_for_function("shown_at => performance.now() - shown_at > 600", arg=shown_at)


def press(page: Page, key: str, labelled: int) -> None:
    read(page)
    page.keyboard.press(key)
    expect(page.locator(".rw-top")).to_contain_text(f"{labelled} labelled today")


def send(page: Page) -> None:
    expect(page.locator(".rw-held")).to_contain_text("Last:")
    page.keyboard.press("d")
    expect(page.locator(".rw-held")).to_have_text("Your last decision waits here until you make the next.")


def test_twenty_answers_are_labelled_by_keyboard_alone(review_app: ReviewApp, page: Page) -> None:
    begin(page, review_app)
    for number in range(20):
        press(page, "1234"[number % 4], number + 1)
    send(page)
    assert review_app.labels() == sorted(["supported", "partly", "unsupported", "no_claim"] * 5)


def test_a_label_is_undone_and_given_anew(review_app: ReviewApp, page: Page) -> None:
    begin(page, review_app)
    first = page.locator(".rw-item").inner_text()
    press(page, "3", 1)
    press(page, "u", 0)
    page.wait_for_function("shown => document.querySelector('.rw-item').innerText === shown", arg=first)
    press(page, "1", 1)
    send(page)
    assert review_app.labels() == ["supported"]


def test_an_answer_is_skipped(review_app: ReviewApp, page: Page) -> None:
    begin(page, review_app)
    read(page)
    page.keyboard.press("s")
    expect(page.locator(".rw-held")).to_contain_text("Skipped")
    press(page, "1", 1)
    expect(page.locator(".rw-top")).to_contain_text("1 skipped today")
    assert review_app.skips() == 1


def test_a_key_that_is_held_down_labels_one_answer(review_app: ReviewApp, page: Page) -> None:
    begin(page, review_app)
    read(page)
    for _ in range(20):
        page.keyboard.down("1")
    page.keyboard.up("1")
    settle(page)
    expect(page.locator(".rw-top")).to_contain_text("1 labelled today")
    send(page)
    assert review_app.labels() == ["supported"]


@pytest.mark.parametrize(("key", "focused"), [("1", None), ("Enter", "Supported")])
def test_a_key_that_repeats_long_after_it_was_pressed_labels_one_answer(
    review_app: ReviewApp, page: Page, key: str, focused: str | None
) -> None:
    begin(page, review_app)
    read(page)
    if focused is not None:
        page.get_by_role("button", name=focused).first.focus()
    page.keyboard.down(key)
    expect(page.locator(".rw-top")).to_contain_text("1 labelled today")
    read(page)
    page.keyboard.down(key)
    page.keyboard.up(key)
    press(page, "3", 2)
    send(page)
    assert review_app.labels() == ["supported", "unsupported"]


def test_digits_in_a_name_label_nothing(review_app: ReviewApp, page: Page) -> None:
    begin(page, review_app, "Bob 123 s u h")
    expect(page.locator(".rw-top")).to_contain_text("0 labelled today")
    expect(page.locator(".rw-reviewer")).to_have_text("Bob 123 s u h")


def test_the_guideline_opens_and_closes_and_no_key_labels_behind_it(review_app: ReviewApp, page: Page) -> None:
    begin(page, review_app)
    page.keyboard.press("h")
    expect(page.locator(".rw-guideline")).to_be_visible()
    settle(page)
    page.keyboard.press("1")
    page.keyboard.press("h")
    expect(page.locator(".rw-item")).to_be_visible()
    expect(page.locator(".rw-top")).to_contain_text("0 labelled today")


def test_a_reload_goes_on_with_the_same_reviewer_and_item(review_app: ReviewApp, page: Page) -> None:
    begin(page, review_app)
    before = page.locator(".rw-item").inner_text()
    page.reload()
    expect(page.locator(".rw-item")).to_be_visible()
    assert page.locator(".rw-item").inner_text() == before


def test_the_page_shows_nothing_that_would_bias_a_label(review_app: ReviewApp, page: Page) -> None:
    received: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(str(frame))))
    begin(page, review_app)
    for number in range(5):
        press(page, "1", number + 1)
    assert any("rw-item" in frame for frame in received)
    assert not [frame for frame in received if CANARY in frame]
    assert CANARY not in page.content()


def test_hostile_texts_are_inert_and_long_ones_scroll_by_keyboard(hostile_app: ReviewApp, page: Page) -> None:
    begin(page, hostile_app)
    assert page.evaluate("window.broken") is None
    assert page.locator("#breakout").count() == 0
    expect(page.locator(".rw-question")).to_contain_text(hostile.SCRIPT)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    for region in ("Question and answer", "Evidence"):
        tab_to(page, region)
        page.keyboard.press("PageDown")
        page.wait_for_function(f"document.querySelector('[aria-label=\"{region}\"]').scrollTop > 100")
    expect(page.get_by_role("button", name="No claim")).to_be_in_viewport()
    press(page, "4", 1)
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
    send(page)
    assert hostile_app.labels() == ["no_claim"]
