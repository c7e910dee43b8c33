"""Each page, run as Streamlit runs it, shows the right number."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest
from streamlit.testing.v1 import AppTest
from tests.samples.fresh_stores import fresh_store
from tests.samples.world import running_world

from ragvigil_dashboards.oncall.trace_search import trace_id_in
from ragvigil_monitor.keys import Role

if TYPE_CHECKING:
    from tests.dashboards.conftest import Live

RunPage = Callable[..., AppTest]


def shown(app: AppTest) -> str:
    """All HTML of a page, after it ran without an exception."""
    assert not app.exception
    return "\n".join(element.proto.body for element in app.get("html"))


def test_the_overview_shows_what_fires(run_page: RunPage) -> None:
    page = shown(run_page("overview"))
    assert "1 alert firing, 1 handled" in page
    assert "p95 rerank latency over the last 1 h: 1046 ms" in page
    assert "<b>200</b><span>answers in 24 h" in page
    assert page.index("Firing") < page.index("Acknowledged") < page.index("All guardrails")
    assert page.index("All guardrails") < page.index("Recently resolved")


def test_the_overview_says_what_to_suspect_first(run_page: RunPage) -> None:
    page = shown(run_page("overview"))
    assert page.count("rv-triage") == 2
    assert page.index("<b>Regression suspected</b>: release <b>") < page.index(
        "<b>Drift suspected</b>: nothing was seen for the first time"
    )
    assert ", BF 212) lies at the onset." in page


def test_the_overview_offers_to_act_on_alerts(run_page: RunPage) -> None:
    app = run_page("overview")
    labels = [button.label for button in app.button]
    assert labels == ["Acknowledge alert", "Silence alert", "Silence alert"]


def test_acknowledging_needs_a_name(run_page: RunPage) -> None:
    app = run_page("overview")
    app.button[0].click().run()
    assert [warning.value for warning in app.warning] == ["Your name is needed, so that others know whom to ask."]


def test_signals_draw_one_chart_a_series(run_page: RunPage) -> None:
    app = run_page("signals")
    page = shown(app)
    assert len(app.get("vega_lite_chart")) == 5
    assert page.index("rerank") < page.index("whole answer")
    assert "limit 400 ms · 48 observations" in page


def test_a_link_chooses_the_signal(run_page: RunPage) -> None:
    page = shown(run_page("signals", signal="cost_per_query"))
    assert "99th percentile" in page
    assert "rerank" not in page


def test_a_choice_moves_into_the_address(run_page: RunPage) -> None:
    app = run_page("signals")
    app.segmented_control(key="shown").set_value("28 d").run()
    assert dict(app.query_params) == {"shown": "28 d"}
    app.segmented_control(key="shown").set_value("7 d").run()
    assert dict(app.query_params) == {}


def test_a_link_to_no_signal_shows_the_first(run_page: RunPage) -> None:
    assert "whole answer" in shown(run_page("signals", signal="<script>"))


def test_answers_are_listed_newest_first(run_page: RunPage, live: "Live") -> None:
    page = shown(run_page("answers"))
    assert page.count('class="rv-trace"') == 100
    assert page.index(live.sample.newest_trace_id) < page.index(live.sample.sent.answers[-2]["trace_id"].hex())


def test_answers_are_narrowed_by_a_link(run_page: RunPage) -> None:
    page = shown(run_page("answers", order="slowest", stage="rerank", intent="policy", last="7 d"))
    took = [int(number) for number in re.findall(r'<td class="num">(\d+)</td><td class="num">–</td>', page)]
    assert "rerank, ms" in page
    assert "how_to" not in page
    assert took == sorted(took, reverse=True)
    assert len(took) > 20


def test_answers_offer_the_stages_and_intents_there_are(run_page: RunPage) -> None:
    stage, intent = run_page("answers").selectbox
    assert stage.options == ["any", "embed", "generate", "rerank", "retrieve"]
    assert intent.options == ["any", "compare", "error", "how_to", "lookup", "policy"]


def test_what_is_typed_as_trace_id_and_is_none_is_said(run_page: RunPage) -> None:
    app = run_page("answers")
    app.text_input(key="find").input("banana").run()
    assert [caption.value for caption in app.caption] == ["A trace id is 32 hex digits."]


def test_a_trace_id_that_is_typed_is_opened(run_page: RunPage) -> None:
    app = run_page("answers")
    app.text_input(key="find").input("AB" * 16).run()
    assert [written.value for written in app.markdown] == ["ab" * 16]


def test_an_answer_is_shown_by_its_link(run_page: RunPage, live: "Live") -> None:
    page = shown(run_page("answer", trace_id=live.sample.newest_trace_id))
    newest = live.sample.sent.answers[-1]
    assert newest["question"] in page
    assert f'Answer id</dt><dd><bdi class="foreign">{newest["answer_id"]}' in page
    assert page.count('class="rv-stage"') == 5


def test_an_answer_whose_spans_were_removed_says_so(run_page: RunPage) -> None:
    store, now = fresh_store(), datetime.now(UTC)
    with running_world(store, now) as world:
        world.put(answers=[{"question": "What was that again?", "started_at": world.ago(days=60)}])
        url = str(world.client.base_url).removesuffix("/api/v1/")
        page = shown(run_page("answer", url=url, key=world.keys.by_role[Role.ONCALL], trace_id=f"{1:032x}"))
    store.close()
    assert "What was that again?" in page
    assert "removed for their age (retention.spans_days)" in page
    assert "Where the time went" not in page


@pytest.mark.parametrize(
    ("trace_id", "said"),
    [
        ("", "Which answer?"),
        ("0" * 32, "There is no answer with trace id"),
        ("<script>alert(1)</script>", "That is no trace id"),
    ],
    ids=["none", "unknown", "hostile"],
)
def test_a_link_to_no_answer_says_what_is_wrong(run_page: RunPage, trace_id: str, said: str) -> None:
    page = shown(run_page("answer", **({"trace_id": trace_id} if trace_id else {})))
    assert said in page
    assert "<script" not in page


def test_completeness_shows_what_was_lost(run_page: RunPage) -> None:
    page = shown(run_page("completeness"))
    for said in (
        "Losses",
        "Spans by hour",
        "3012",
        "99.6 %",
        "rejected_bad_id",
        "Not stored: the trace or span id was missing",
    ):
        assert said in page


def test_completeness_shows_what_made_the_spans(run_page: RunPage) -> None:
    page = shown(run_page("completeness"))
    for said in ("How services were instrumented", "Documents without id", "Spans made by"):
        assert said in page


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("overview", "No answer has arrived yet"),
        ("signals", "No signal yet"),
        ("answers", "No answer has arrived yet"),
        ("completeness", "No answer has arrived yet"),
    ],
)
def test_an_empty_store_is_explained(run_page: RunPage, empty_url: tuple[str, str], page: str, said: str) -> None:
    url, key = empty_url
    assert said in shown(run_page(page, url=url, key=key))


@pytest.mark.parametrize("page", ["overview", "signals", "answers", "completeness"])
def test_a_service_that_is_away_is_one_sentence(run_page: RunPage, page: str) -> None:
    content = shown(run_page(page, url="http://127.0.0.1:1"))
    assert content.count('role="alert"') == 1
    assert "Nothing answers at http://127.0.0.1:1. Start `ragvigil serve`" in content


def test_a_refused_key_is_one_sentence(run_page: RunPage) -> None:
    assert "refused the key" in shown(run_page("overview", key="wrong"))


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("AB" * 16, "ab" * 16),
        (f"  0x{'ab' * 16}\n", "ab" * 16),
        ("abababab-abab-abab-abab-abababababab", "ab" * 16),
        ("ab" * 15, None),
        ("xy" * 16, None),
        ("", None),
    ],
)
def test_a_pasted_trace_id_is_forgiven_its_form(typed: str, expected: str | None) -> None:
    assert trace_id_in(typed) == expected
