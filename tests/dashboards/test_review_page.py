"""The reviewer app, run as Streamlit runs it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest

from ragvigil_dashboards.cli import APPS
from ragvigil_monitor.keys import Role

if TYPE_CHECKING:
    from tests.dashboards.conftest import Queue

RunReview = Callable[..., AppTest]


@pytest.fixture
def run_review(queue: "Queue", monkeypatch: pytest.MonkeyPatch) -> RunReview:
    def run(reviewer: str = "ada", *, url: str = queue.url) -> AppTest:
        monkeypatch.setenv("RAGVIGIL_API_URL", url)
        monkeypatch.setenv("RAGVIGIL_API_KEY", queue.keys.by_role[Role.REVIEWER])
        app = AppTest.from_file(str(APPS["review"].script), default_timeout=30)
        if reviewer:
            app.query_params["reviewer"] = reviewer
        return app.run()

    return run


def shown(app: AppTest) -> str:
    assert not app.exception
    return "\n".join(element.proto.body for element in app.get("html"))


def press(app: AppTest, key: str) -> AppTest:
    app.session_state["desk"].pause_s = 0
    return app.button(key=key).click().run()


def test_a_name_is_asked_for_first_beside_the_guideline(run_review: RunReview) -> None:
    app = run_review("")
    assert "Is the answer carried by its evidence?" in shown(app)
    app.text_input(key="name").input(" ada ").run()
    assert 'class="rw-item"' in shown(app)
    assert dict(app.query_params)["reviewer"] in ("ada", ["ada"])


def test_an_item_is_shown_with_its_keys_and_rules(run_review: RunReview) -> None:
    app = run_review()
    page = shown(app)
    assert "Evidence" in page
    assert "Every claim of the answer is in the evidence." in page
    assert [button.key for button in app.button] == ["1", "2", "3", "4", "U", "D", "S", "H"]


def test_a_key_labels_and_brings_the_next_item(run_review: RunReview, queue: "Queue") -> None:
    app = press(press(run_review(), "2"), "1")
    assert "<b>2</b> labelled today" in shown(app)
    assert [label for _, label in queue.labels()] == ["partly"]
    press(app, "D")
    assert sorted(label for _, label in queue.labels()) == ["partly", "supported"]


def test_undo_brings_the_last_item_back(run_review: RunReview, queue: "Queue") -> None:
    app = press(press(run_review(), "3"), "U")
    assert "<b>0</b> labelled today" in shown(app)
    assert queue.labels() == []


def test_the_guideline_covers_the_item_so_that_no_key_labels_it(run_review: RunReview) -> None:
    app = press(run_review(), "H")
    assert 'class="rw-item"' not in shown(app)
    assert all(button.disabled for button in app.button if button.key != "H")
    assert 'class="rw-item"' in shown(press(app, "H"))


def test_an_empty_queue_offers_to_look_again(run_review: RunReview) -> None:
    app = run_review()
    while 'class="rw-item"' in shown(app):
        press(app, "4")
    assert "Nothing waits for you" in shown(app)
    assert [button.key for button in app.button] == ["1", "2", "3", "4", "U", "D", "N", "H"]
    assert "Your last label is still here" not in shown(press(app, "N"))


def test_a_service_that_is_away_is_one_sentence(run_review: RunReview) -> None:
    content = shown(run_review(url="http://127.0.0.1:1"))
    assert content.count('role="alert"') == 1
    assert "Nothing answers at http://127.0.0.1:1" in content
