"""Documents are marked by keyboard alone."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.samples import hostile
from tests.samples.chromium import open_settled, settle
from tests.samples.fresh_stores import fresh_store
from tests.samples.reviews import CANARY, draw_reviews
from tests.samples.searches import Searches, relevance_store
from tests.samples.servers import running_api, running_dashboard, running_service

from ragvigil_monitor.keys import Keys
from ragvigil_monitor.store import Store

pytestmark = pytest.mark.browser

LONG = "A sentence of a long document that goes on and on. " * 400
FAR = datetime(2199, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class MarkingApp:
    """Address of the app and what is behind it."""

    address: str
    store: Store

    def labels(self) -> list[str]:
        rows = self.store.rows("reviews_between", kind="relevance", start=FAR.replace(year=2020), end=FAR, now=FAR)
        return sorted(row["first_label"] for row in rows if row["first_label"] is not None)

    def relevant(self) -> list[int]:
        """How many documents each label calls relevant."""
        with self.store.transaction() as writer:
            sql = "SELECT count(*) FILTER (WHERE is_relevant) AS n FROM relevance_labels GROUP BY label_id ORDER BY n"
            return [row[0] for row in writer._cursor.execute(sql).fetchall()]


def served(store: Store, folder: Path) -> Iterator[MarkingApp]:
    keys, key_file = Keys.generate(), folder / "keys.json"
    key_file.write_text(json.dumps(dict(keys.by_role)), encoding="utf-8")
    with running_service(store, keys) as service:
        draw_reviews(service)
        with running_api(service) as api, running_dashboard(api, key_file, app="review") as address:
            yield MarkingApp(address, store)


@pytest.fixture
def marking(browser: Browser, tmp_path: Path) -> Iterator[MarkingApp]:
    """The app in front of twelve searches; needs a browser, so that nothing is started for skipped tests."""
    yield from served(relevance_store(datetime.now(UTC)), tmp_path)


@pytest.fixture
def hostile_marking(browser: Browser, tmp_path: Path) -> Iterator[MarkingApp]:
    """The app in front of one search whose every text tries to break out; one is very long, one is missing."""
    searches = Searches(fresh_store())
    texts = {"a": hostile.EVERYTHING, "b": LONG, "c": None}
    searches.probed(datetime.now(UTC) - timedelta(hours=3), texts, texts, question=hostile.EVERYTHING)
    yield from served(searches.store, tmp_path)


def begin(page: Page, app: MarkingApp) -> None:
    open_settled(page, f"{app.address}/?reviewer=Ada")
    expect(page.locator(".rr-desk")).to_be_visible()
    settle(page)


def count(page: Page, said: str) -> None:
    expect(page.locator(".rr-count")).to_have_text(said)


def read(page: Page) -> None:
    """Look at the item for more than the half second in which no key decides."""
    settle(page)
    shown_at = page.evaluate("performance.now()")
    page.wait_for_function("shown_at => performance.now() - shown_at > 600", arg=shown_at)


def save(page: Page, labelled: int) -> None:
    """Look at the item, then save it."""
    read(page)
    page.keyboard.press("Enter")
    expect(page.locator(".rw-top")).to_contain_text(f"{labelled} labelled today")
    settle(page)  # until then keys would mark the item that is on its way out


def send(page: Page) -> None:
    expect(page.locator(".rw-held")).to_contain_text("Last:")
    page.keyboard.press("d")
    expect(page.locator(".rw-held")).to_contain_text("Your last decision waits here")


def test_items_are_marked_by_keyboard_alone(marking: MarkingApp, page: Page) -> None:
    begin(page, marking)
    for number in range(4):
        count(page, "0 of 11 marked")
        for key in ["Space", "j", "ArrowDown", "Space", "k"][: 5 if number % 2 else 0]:
            page.keyboard.press(key)
        count(page, f"{2 if number % 2 else 0} of 11 marked")
        save(page, number + 1)
    send(page)
    assert marking.labels() == ["none_relevant"] * 2 + ["relevant"] * 2
    assert marking.relevant() == [0, 0, 2, 2]


def test_the_cursor_shows_the_whole_text_and_stays_in_the_list(marking: MarkingApp, page: Page) -> None:
    begin(page, marking)
    previews = page.locator(".rr-preview").all_inner_texts()
    text = page.locator(".rr-text")
    for key, place in [("k", 0), ("j", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", 10), ("j", 10), ("Home", 0)]:
        page.keyboard.press(key)
        expect(text).to_have_text(previews[place])
        expect(page.locator(".rr-at b")).to_have_text("ABCDEFGHIJK"[place])
        expect(page.locator(".rr-at")).to_be_in_viewport()
    assert page.evaluate("window.scrollY") == 0


def test_undo_brings_the_marks_back(marking: MarkingApp, page: Page) -> None:
    begin(page, marking)
    for key in ("j", "Space"):
        page.keyboard.press(key)
    marked = page.locator(".rr-text").inner_text()
    save(page, 1)
    expect(page.locator(".rw-held")).to_contain_text("1 of 11 relevant")
    count(page, "0 of 11 marked")
    page.keyboard.press("u")
    count(page, "1 of 11 marked")
    expect(page.locator("[aria-selected=true] .rr-preview")).to_have_text(marked)
    page.keyboard.press("Space")
    save(page, 1)
    send(page)
    assert marking.relevant() == [2]


def test_a_key_that_is_held_down_saves_one_item_and_toggles_once(marking: MarkingApp, page: Page) -> None:
    begin(page, marking)
    for _ in range(20):
        page.keyboard.down("Space")
    page.keyboard.up("Space")
    count(page, "1 of 11 marked")
    read(page)
    for _ in range(20):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    for _ in range(5):
        page.keyboard.press("Enter", delay=5)
    expect(page.locator(".rw-top")).to_contain_text("1 labelled today")
    send(page)
    assert marking.relevant() == [1]


def test_an_item_is_skipped_and_the_guideline_takes_no_marks(marking: MarkingApp, page: Page) -> None:
    begin(page, marking)
    page.keyboard.press("h")
    expect(page.locator(".rw-guideline")).to_contain_text("Which documents are relevant")
    settle(page)
    for key in ("Space", "Enter", "h"):
        page.keyboard.press(key)
    count(page, "0 of 11 marked")
    read(page)
    page.keyboard.press("s")
    expect(page.locator(".rw-held")).to_contain_text("Skipped")
    save(page, 1)
    send(page)
    assert marking.labels() == ["none_relevant"]


def test_the_page_shows_nothing_that_would_bias_a_mark(marking: MarkingApp, page: Page) -> None:
    received: list[str] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(str(frame))))
    begin(page, marking)
    save(page, 1)
    assert any("documents" in frame for frame in received)
    assert not [frame for frame in received if CANARY in frame]
    assert CANARY not in page.content()


def test_hostile_texts_are_inert_and_long_ones_scroll_by_keyboard(hostile_marking: MarkingApp, page: Page) -> None:
    begin(page, hostile_marking)
    texts = []
    for _ in range(3):
        texts.append(page.locator(".rr-text").inner_text())
        page.keyboard.press("Space")
        page.keyboard.press("j")
    count(page, "2 of 3 marked")
    assert page.evaluate("window.broken") is None
    assert page.locator("#breakout").count() == 0
    assert any(hostile.SCRIPT in text for text in texts)
    assert any("was not recorded" in text for text in texts)
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    page.keyboard.press("Home")
    for _ in range([len(text) > 5000 for text in texts].index(True)):
        page.keyboard.press("j")
    page.keyboard.press("PageDown")
    page.wait_for_function("document.querySelector('.rr-text').scrollTop > 100")
    page.keyboard.press("k")
    page.keyboard.press("j")
    expect(page.get_by_role("button", name="Save and go on")).to_be_in_viewport()
    save(page, 1)
    expect(page.get_by_text("Nothing waits for you")).to_be_visible()
