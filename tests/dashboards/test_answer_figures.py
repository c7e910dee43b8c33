"""Answers: the list, the single answer, its waterfall, its losses and its stages."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_dashboards import formats
from ragvigil_dashboards.client import Client
from ragvigil_dashboards.figures import waterfall
from ragvigil_dashboards.figures.answer_table import answer_table
from ragvigil_dashboards.figures.answer_view import facts, question_and_answer
from ragvigil_dashboards.figures.losses import id_list, losses, losses_table
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.stage_details import filter_words, stage_details
from ragvigil_dashboards.models import Answer, AnswerRow, Document, StageSpan

EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def answer(client: Client) -> Answer:
    trace_id = client.answers(limit=1)[0].trace_id
    return client.answer(trace_id)[0]


@pytest.fixture
def row(client: Client) -> AnswerRow:
    return client.answers(limit=1)[0]


def span(span_id: str, parent: str | None = None, *, at: float = 0, ms: float | None = 10, **values: Any) -> StageSpan:
    nothing = dict.fromkeys(StageSpan.model_fields)
    lists: dict[str, Any] = {"filter_in_words": []}
    plain = {"name": span_id, "service": "shop", "status": "ok", "attributes": {}, "dropped_attributes": 0}
    place = {"span_id": span_id, "parent_span_id": parent, "offset_ms": at, "duration_ms": ms}
    return StageSpan.model_validate({**nothing, **lists, **plain, **place, **values})


def documents(*ids: str) -> list[Document]:
    return [Document(id=id_, score=None) for id_ in ids]


def test_children_stand_below_their_parents_in_order_of_time() -> None:
    spans = [span("late", "root", at=5), span("leaf", "early", at=2), span("root"), span("early", "root", at=1)]
    assert [(each.span_id, depth) for each, depth in waterfall.nested(spans)] == [
        ("root", 0),
        ("early", 1),
        ("leaf", 2),
        ("late", 1),
    ]


def test_a_span_whose_parent_never_arrived_is_a_root() -> None:
    assert [depth for _, depth in waterfall.nested([span("a", "elsewhere")])] == [0]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=6, unique_by=lambda pair: pair[0]))
def test_a_waterfall_ends_whatever_the_parents_are(links: list[tuple[int, int]]) -> None:
    shown = list(waterfall.nested([span(str(own), str(parent)) for own, parent in links]))
    assert sorted(each.span_id for each, _ in shown) == sorted(str(own) for own, _ in links)


def test_spans_in_a_circle_are_still_shown() -> None:
    shown = waterfall.nested([span("a", "b"), span("b", "a"), span("c", "c")])
    assert {each.span_id for each, _ in shown} == {"a", "b", "c"}


def test_an_unknown_duration_has_a_place_but_no_share() -> None:
    root, unknown = waterfall.bars([span("root", ms=200), span("unknown", "root", at=50, ms=None)])
    assert (unknown.left, unknown.share) == (25.0, None)
    assert root.share == 1.0
    assert waterfall.draw([span("unknown", ms=None)]).count(formats.DASH) == 2


def test_bars_lie_on_one_axis_from_the_first_start_to_the_last_end() -> None:
    root, child = waterfall.bars([span("root", ms=200), span("child", "root", at=50, ms=100)])
    assert (root.left, root.width, root.share) == (0.0, 100.0, 1.0)
    assert (child.left, child.width, child.share) == (25.0, 50.0, 0.5)


def test_a_span_before_its_answer_widens_the_axis() -> None:
    before, _ = waterfall.bars([span("before", at=-100, ms=10), span("root", ms=100)])
    assert (before.left, before.width) == (0.0, 5.0)


def test_an_instant_and_nothing_at_all_have_a_waterfall() -> None:
    (bar,) = waterfall.bars([span("a", ms=0)])
    assert (bar.left, bar.share) == (0.0, 0.0)
    assert bar.width > 0
    assert waterfall.bars([]) == []


@pytest.mark.parametrize(
    ("values", "tone"),
    [
        ({"kind": "RETRIEVER"}, "retrieve"),
        ({"kind": "LLM"}, "generate"),
        ({"kind": None}, "other"),
        ({"kind": "LLM", "status": "error"}, "bad"),
    ],
)
def test_a_bar_has_the_tone_of_its_kind_and_errors_stand_out(values: dict[str, Any], tone: str) -> None:
    assert waterfall.tone(span("a", **values)) == tone
    assert ("▲ " in waterfall.draw([span("a", **values)])) == (tone == "bad")


def test_a_stage_loses_what_the_stage_before_returned() -> None:
    stages = [
        span("search", at=0, output_documents=documents("a", "b", "c", "d")),
        span("rerank", at=20, input_documents=documents("a", "b", "c"), output_documents=documents("c", "x")),
    ]
    search, rerank = losses(stages)
    assert (search.lost, search.added, search.is_first) == ((), ("a", "b", "c", "d"), True)
    assert (rerank.lost, rerank.added, rerank.is_first) == (("a", "b", "d"), ("x",), False)


def test_stages_without_documents_are_no_step() -> None:
    stages = [
        span("search", output_documents=documents("a")),
        span("chat", at=9),
        span("cut", at=20, input_documents=documents("a")),
    ]
    assert [(loss.span.span_id, loss.lost) for loss in losses(stages)] == [("search", ()), ("cut", None)]


def test_a_first_stage_is_measured_against_what_it_was_given() -> None:
    (only,) = losses([span("rerank", input_documents=documents("a", "b"), output_documents=documents("b"))])
    assert (only.lost, only.is_first) == (("a",), False)


def test_stages_count_in_the_order_in_which_they_end() -> None:
    outer = span("outer", at=0, ms=100, output_documents=documents("a"))
    inner = span("inner", "outer", at=10, ms=20, output_documents=documents("a", "b"))
    assert [loss.span.span_id for loss in losses([outer, inner])] == ["inner", "outer"]


def test_the_table_ends_with_what_the_answer_cites(answer: Answer) -> None:
    shown = losses_table(answer.spans, answer.citations)
    assert "cited in the answer" in shown
    assert "<b>15</b>" in shown
    assert "<b>3</b>" in shown


def test_citations_that_were_not_recorded_are_no_zero_and_lose_nothing() -> None:
    shown = losses_table([span("search", output_documents=documents("a", "b"))], None)
    row = shown[shown.index("cited in the answer") :]
    assert "not recorded" in row
    assert "<code>" not in row
    assert row.count(formats.DASH) == 2


def test_an_answer_that_cites_nothing_lost_every_document() -> None:
    shown = losses_table([span("search", output_documents=documents("a", "b"))], [])
    row = shown[shown.index("cited in the answer") :]
    assert "not recorded" not in row
    assert "<b>2</b>" in row
    assert row.count("<code>") == 2


def test_a_stage_that_recorded_no_output_loses_nothing_and_the_next_is_compared_with_the_one_before() -> None:
    stages = [
        span("search", output_documents=documents("a", "b")),
        span("rerank", at=20, input_documents=documents("a", "b")),
        span("context", at=40, output_documents=documents("a")),
    ]
    assert [loss.lost for loss in losses(stages)] == [(), None, ("b",)]
    assert "not recorded" in losses_table(stages, ["a"])


def test_a_stage_that_returned_nothing_lost_everything() -> None:
    stages = [span("search", output_documents=documents("a")), span("rerank", at=20, output_documents=[])]
    assert [loss.lost for loss in losses(stages)] == [(), ("a",)]


def test_without_documents_the_table_says_so() -> None:
    assert "No stage recorded documents." in losses_table([span("chat")], [])


def test_many_ids_are_counted_and_cut() -> None:
    shown = id_list([f"d{number}" for number in range(20)])
    assert "<b>20</b>" in shown
    assert "and 12 more" in shown
    assert id_list([]) == '<span class="rv-aside">none</span>'


def test_a_list_of_answers_links_to_each(row: AnswerRow, reader: Reader) -> None:
    shown = answer_table([row], reader, None)
    assert f'href="answer?trace_id={row.trace_id}"' in shown
    assert f'<td class="num">{row.duration_ms:.0f}</td>' in shown
    assert "rerank" not in shown


def test_a_stage_adds_what_it_took_and_cost(row: AnswerRow, reader: Reader) -> None:
    slow = row.model_copy(update={"stage_duration_ms": 777.0, "stage_cost_usd": 0.5})
    assert '<th class="num">rerank, ms</th>' in answer_table([slow], reader, "rerank")
    assert '<td class="num">777</td><td class="num">0.50000</td>' in answer_table([slow], reader, "rerank")


def test_what_a_row_lacks_is_a_dash_or_words(row: AnswerRow, reader: Reader) -> None:
    bare = row.model_copy(update={"question": None, "cost_usd": None, "intent": None, "service_version": None})
    shown = answer_table([bare], reader, None)
    assert "not recorded" in shown
    assert shown.count("–") == 2


@pytest.mark.parametrize(
    ("status", "said"), [("error", "▲ Error"), ("OK", ">ok<"), ("unset", ">ok<"), ("new", ">new<")]
)
def test_only_an_error_stands_out(row: AnswerRow, reader: Reader, status: str, said: str) -> None:
    shown = answer_table([row.model_copy(update={"status": status})], reader, None)
    assert said in shown
    assert ("rv-pill bad" in shown) == (status == "error")


def test_a_long_question_is_one_short_line(row: AnswerRow, reader: Reader) -> None:
    long = row.model_copy(update={"question": "why\n\n" * 50_000})
    assert len(answer_table([long], reader, None)) < 2000


def test_an_answer_shows_question_answer_and_facts(answer: Answer, reader: Reader) -> None:
    assert answer.question is not None
    assert answer.question in question_and_answer(answer)
    shown = facts(answer, reader)
    for said in ("Took", "Release", "shop 1.5.0", "team = ", "Refusal</dt><dd>no", "Confidence"):
        assert said in shown


def test_an_answer_without_contents_says_so(answer: Answer, reader: Reader) -> None:
    bare = answer.model_copy(
        update={"question": None, "answer": None, "slices": {}, "refusal": None, "confidence": None, "intent": None}
    )
    assert "The question was not recorded." in question_and_answer(bare)
    assert "The answer was not recorded." in question_and_answer(bare)
    assert not any(name in facts(bare, reader) for name in ("Slices", "Refusal", "Confidence", "Intent"))


def test_a_stage_shows_model_tokens_cost_filter_and_documents(answer: Answer) -> None:
    shown = stage_details(answer.spans)
    for said in (
        "team is one of 2 protected values (entitlement)",
        "kind is policy (relevance, rule)",
        "cross-encoder-v2",
        "14 in, – out",
        "In: 20 documents",
        "Out: 5 documents",
        '<td class="num">7.4</td>',
        "db.system.name",
    ):
        assert said in shown


@pytest.mark.parametrize(
    ("state", "phrases", "said"),
    [
        ("none", [], "none: every document could be found"),
        ("unknown", [], "unknown filter"),
        ("known", ["a is b (entitlement)"], "<li>"),
        ("partial", ["a is b (entitlement)"], "partial filter"),
        ("known", [EVIL], "&lt;img"),
    ],
)
def test_a_filter_is_said_with_what_is_known_of_it(state: str, phrases: list[str], said: str) -> None:
    shown = filter_words(span("a", filter_state=state, filter_in_words=phrases))
    assert shown is not None
    assert said in shown


def test_a_stage_without_a_filter_says_nothing_of_one() -> None:
    assert filter_words(span("a")) is None


def test_an_error_and_lost_attributes_are_shown() -> None:
    shown = stage_details([span("a", status="error", status_message="timeout", dropped_attributes=7)])
    assert 'Failed</dt><dd><bdi class="foreign">timeout' in shown
    assert "Attributes lost</dt><dd>7" in shown


def test_a_context_that_was_cut_stands_out() -> None:
    assert "Context</dt><dd><span>900 tokens </span>" in stage_details([span("a", context_tokens=900)])
    assert "cut: it did not fit" in stage_details([span("a", context_truncated=True)])


def test_very_many_documents_are_cut() -> None:
    shown = stage_details([span("a", output_documents=documents(*map(str, range(3000))))])
    assert "Out: 3000 documents" in shown
    assert "and 2950 more" in shown


def test_nothing_that_an_application_sent_becomes_markup(answer: Answer, row: AnswerRow, reader: Reader) -> None:
    hostile = span(
        EVIL,
        stage=EVIL,
        kind=EVIL,
        model=EVIL,
        query_text=EVIL,
        status="error",
        status_message=EVIL,
        filter_state="known",
        filter_in_words=[EVIL],
        output_documents=documents(EVIL),
        attributes={EVIL: [EVIL]},
    )
    texts = ["question", "answer", "answer_id", "session_id", "intent", "service", "service_version", "status"]
    evil_answer = answer.model_copy(update={**dict.fromkeys(texts, EVIL), "slices": {EVIL: EVIL}})
    evil_row = row.model_copy(update=dict.fromkeys([*texts[:1], *texts[4:], "trace_id"], EVIL))
    shown = [
        waterfall.draw([hostile]),
        losses_table([hostile], [EVIL]),
        stage_details([hostile]),
        question_and_answer(evil_answer),
        facts(evil_answer, reader),
        answer_table([evil_row], reader, EVIL),
    ]
    assert not any("<img" in markup for markup in shown)


def test_raw_attributes_keep_every_script() -> None:
    attributes = {"frage": "Wo ist 東京?", "n": [1, None, {"deep": True}]}
    shown = stage_details([span("a", attributes=attributes)])
    assert json.dumps(attributes["frage"], ensure_ascii=False).strip('"') in shown
