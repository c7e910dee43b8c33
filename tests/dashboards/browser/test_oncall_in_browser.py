"""What the person on call sees and does, in a real browser."""

import re

import pytest
from playwright.sync_api import Page, expect
from tests.samples import hostile
from tests.samples.chromium import open_settled, settle
from tests.samples.stores import Sample

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("", "1 alert firing, 1 handled"),
        ("signals", "whole answer"),
        ("answers", "Find by trace id"),
        ("answer", "Which answer?"),
        ("completeness", "What became of everything received"),
    ],
)
def test_every_page_is_shown(app: str, page: Page, path: str, said: str) -> None:
    open_settled(page, f"{app}/{path}")
    expect(page.get_by_text(said).first).to_be_visible()


def test_navigation_leads_to_every_page(app: str, page: Page) -> None:
    open_settled(page, app)
    for name, said in (
        ("Signals", "estimate"),
        ("Answers", "Find by trace id"),
        ("Completeness", "Spans by process"),
        ("Overview", "All guardrails"),
    ):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_text(said).first).to_be_visible()


def test_times_are_in_the_readers_zone(app: str, page: Page, watched: Sample) -> None:
    open_settled(page, f"{app}/answer?trace_id={watched.newest_trace_id}")
    expect(page.get_by_text(re.compile(r"\d\d:\d\d:\d\d CES?T")).first).to_be_visible()


def test_a_trace_of_an_alert_leads_to_its_answer(app: str, page: Page) -> None:
    open_settled(page, app)
    link = page.locator(".rv-trace").first
    trace_id = link.get_attribute("title")
    link.click()
    page.wait_for_url(f"**/answer?trace_id={trace_id}")
    expect(page.get_by_text("Where the time went")).to_be_visible()
    expect(page.get_by_label("Trace id")).to_have_value(trace_id or "")


def test_a_deep_link_opens_the_answer(app: str, page: Page, watched: Sample) -> None:
    open_settled(page, f"{app}/answer?trace_id={watched.newest_trace_id}")
    expect(page.locator(".rv-bar")).to_have_count(5)
    expect(page.get_by_text("team is one of 2 protected values (entitlement)")).to_be_visible()


def test_a_bar_leads_to_its_stage(app: str, page: Page, watched: Sample) -> None:
    open_settled(page, f"{app}/answer?trace_id={watched.newest_trace_id}")
    page.locator(".rv-bar").nth(3).click()
    expect(page.locator("details.rv-stage").nth(3)).to_be_in_viewport()


def test_a_trace_id_is_found_from_the_list(app: str, page: Page, watched: Sample) -> None:
    open_settled(page, f"{app}/answers")
    field = page.get_by_label("Find by trace id")
    field.fill(watched.newest_trace_id.upper())
    field.press("Enter")
    page.wait_for_url(f"**/answer?trace_id={watched.newest_trace_id}")
    expect(page.get_by_text("Where the time went")).to_be_visible()


def test_a_choice_of_signal_can_be_shared(app: str, page: Page) -> None:
    open_settled(page, f"{app}/signals")
    page.get_by_role("radio", name="Cost per query").or_(page.get_by_role("button", name="Cost per query")).click()
    page.wait_for_url("**/signals?signal=cost_per_query")
    expect(page.get_by_text("99th percentile").first).to_be_visible()
    page.reload()
    settle(page)
    expect(page.get_by_text("99th percentile").first).to_be_visible()


def test_charts_are_drawn(app: str, page: Page) -> None:
    open_settled(page, f"{app}/signals?shown=28+d")
    expect(page.locator("[data-testid=stVegaLiteChart] canvas, [data-testid=stVegaLiteChart] svg")).to_have_count(5)


def test_hostile_texts_are_inert(app: str, page: Page) -> None:
    for path in ("", "answers", f"answer?trace_id={hostile.TRACE_ID}", "completeness", "signals"):
        open_settled(page, f"{app}/{path}")
        assert page.evaluate("window.broken") is None
        assert page.locator("#breakout").count() == 0
        assert page.locator("a[href^=javascript]").count() == 0


def test_a_hostile_answer_is_shown_as_it_was_given(app: str, page: Page) -> None:
    open_settled(page, f"{app}/answer?trace_id={hostile.TRACE_ID}")
    given = page.locator(".rv-answer .foreign")
    expect(given).to_contain_text(hostile.SCRIPT)
    expect(given).to_contain_text("[click me](javascript:")
    expect(given).to_contain_text("more characters")
    box = page.locator(".rv-answer").bounding_box()
    assert box is not None
    assert box["height"] <= 330


def test_hostile_texts_do_not_widen_the_page(app: str, page: Page) -> None:
    for path in ("answers", f"answer?trace_id={hostile.TRACE_ID}"):
        open_settled(page, f"{app}/{path}")
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_an_alert_is_acknowledged_by_clicking(app: str, page: Page) -> None:
    open_settled(page, app)
    page.get_by_role("button", name="Acknowledge").click()
    page.get_by_label("Your name").fill(hostile.IMAGE)
    page.get_by_label("What do you know?").fill("rolling back 1.5.0")
    page.get_by_role("button", name="Acknowledge alert").click()
    expect(page.get_by_text("2 alerts open, all handled")).to_be_visible()
    expect(page.get_by_text("rolling back 1.5.0")).to_be_visible()
    assert page.evaluate("window.broken") is None


def test_an_alert_is_silenced_by_clicking(app: str, page: Page) -> None:
    open_settled(page, app)
    cost = page.locator("[class*=st-key-card]").filter(has_text="Cost per query")
    cost.get_by_role("button", name="Silence").click()
    page.get_by_label("Your name").fill("Ada")
    page.get_by_role("button", name="Silence alert").click()
    expect(page.get_by_text("no notifications until")).to_be_visible()
