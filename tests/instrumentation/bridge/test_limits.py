"""The application's limits on attributes: what is lost first, and that the loss is counted."""

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.sdk.trace import ReadableSpan, SpanLimits, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import ALWAYS_ON

import ragvigil
from ragvigil import attributes as names
from ragvigil import entitlement, relevance, where
from ragvigil.bridge.limits import limited
from ragvigil.predicates import eq
from ragvigil.testing import InMemoryExporter

SetGlobal = Callable[[TracerProvider], TracerProvider]
Exported = Callable[[], InMemoryExporter]
Spans = Callable[[], tuple[ReadableSpan, ...]]

CRITICAL = {
    names.SPAN_KIND,
    names.STAGE,
    names.ANSWER_SPAN_ID,
    names.FILTER_STATE,
    names.FILTER_AST,
    names.FILTER_CLAUSES,
    names.STAGE_OUTPUT_DOCUMENTS,
    names.STAGE_OUTPUT_COUNT,
    names.GENAI_RETRIEVAL_DOCUMENTS,
    names.RETRIEVAL_TOP_K,
    names.RETRIEVAL_QUERY_TEXT,
    names.INDEX_VERSION,
}


@pytest.fixture
def spans_within(set_global: SetGlobal, exported: Exported) -> Callable[[SpanLimits], Spans]:
    """The spans that processors get where these are the limits."""

    def within(limits: SpanLimits) -> Spans:
        finished = InMemorySpanExporter()
        provider = set_global(TracerProvider(ALWAYS_ON, shutdown_on_exit=False, span_limits=limits))
        provider.add_span_processor(SimpleSpanProcessor(finished))

        def spans() -> tuple[ReadableSpan, ...]:
            exported()
            return finished.get_finished_spans()

        return spans

    return within


def search_60_documents() -> None:
    with ragvigil.pipeline("ask"), ragvigil.stage("retrieve") as s:
        s.set(query="q", top_k=60, index_version="7")
        s.filter(where(entitlement(eq("tenant", "acme")), relevance(eq("kind", "x"))))
        s.outputs([f"d{number}" for number in range(60)], [1 - number / 100 for number in range(60)])


def test_60_documents_cost_no_critical_key(spans_within: Callable[[SpanLimits], Spans], exported: Exported) -> None:
    spans = spans_within(SpanLimits())
    search_60_documents()
    bridged, _ = spans()
    whole = exported().one("retrieve").attributes
    assert bridged.attributes is not None
    assert len(bridged.attributes) <= 128 < len(whole)
    assert set(bridged.attributes) >= CRITICAL
    assert bridged.dropped_attributes == len(whole) - len(bridged.attributes)
    assert len(json.loads(str(bridged.attributes[names.STAGE_OUTPUT_DOCUMENTS]))) == 60
    lost = set(whole) - set(bridged.attributes)
    assert lost == {f"retrieval.documents.{n}.document.{part}" for n in range(56, 60) for part in ("id", "score")}


@pytest.mark.parametrize("most", [0, 1, 12, 40])
def test_any_limit_is_kept_and_the_newest_are_the_last_to_go(
    spans_within: Callable[[SpanLimits], Spans], exported: Exported, most: int
) -> None:
    spans = spans_within(SpanLimits(max_span_attributes=most))
    search_60_documents()
    bridged, _ = spans()
    whole = list(exported().one("retrieve").attributes)
    kept = list(bridged.attributes or {})
    assert len(kept) <= most
    assert kept[-12:] == whole[len(whole) - min(most, 12) :]
    assert bridged.dropped_attributes == len(whole) - len(kept)


def test_the_standard_variables_set_the_limit(
    spans_within: Callable[[SpanLimits], Spans], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT", "20")
    monkeypatch.setenv("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT", "5")
    spans = spans_within(SpanLimits())
    search_60_documents()
    bridged, answer = spans()
    assert len(bridged.attributes or {}) <= 20
    assert (answer.attributes or {})[names.SPAN_KIND] == "CHAIN"
    assert (bridged.attributes or {})[names.SPAN_KIND] == "RETRI"


def test_events_links_and_their_attributes_have_limits_too(spans_within: Callable[[SpanLimits], Spans]) -> None:
    spans = spans_within(SpanLimits(max_events=2, max_links=1, max_event_attributes=1, max_attribute_length=3))
    with ragvigil.stage("first") as first:
        pass
    with ragvigil.stage("retrieve") as s:
        for number in range(5):
            s.add_event(f"e{number}", {"a": "long text", "b": ["also long", 1]})
            s.add_link(first.get_span_context(), {"n": number})
    _, bridged = spans()
    assert [event.name for event in bridged.events] == ["e3", "e4"]
    assert [(dict(e.attributes or {}), e.dropped_attributes) for e in bridged.events] == [({"b": ("als", 1)}, 1)] * 2
    assert [dict(link.attributes or {}) for link in bridged.links] == [{"n": 4}]
    assert (bridged.dropped_events, bridged.dropped_links) == (3, 4)


KEYS = st.one_of(
    st.sampled_from(["a", "b", names.SPAN_KIND]),
    st.text(max_size=3),
    st.builds(
        lambda prefix, rank, part: f"{prefix}.{rank}.document.{part}",
        st.sampled_from([names.RETRIEVAL_DOCUMENTS, names.RERANKER_INPUT_DOCUMENTS]),
        st.one_of(st.integers(0, 9), st.sampled_from(["x", "٣", "1e9"])),
        st.sampled_from(["id", "score"]),
    ),
)


@given(st.dictionaries(KEYS, st.integers(), max_size=30), st.one_of(st.none(), st.integers(0, 31)))
def test_what_is_kept_is_within_the_limit_in_order_and_as_it_was(attributes: dict[str, int], most: int | None) -> None:
    kept = limited(attributes, most)
    assert most is None or len(kept) <= most
    assert list(kept.items()) == [item for item in attributes.items() if item[0] in kept]
    if most is None or len(attributes) <= most:
        assert kept == attributes
    ranks = {key: rank_of(key) for key in attributes}
    assert max([rank_of(key) for key in kept], default=-1) <= min(
        [rank for key, rank in ranks.items() if rank >= 0 and key not in kept], default=10
    )
    if any(rank_of(key) >= 0 for key in kept):
        assert {key for key, rank in ranks.items() if rank < 0} <= kept.keys()


def rank_of(key: str) -> int:
    """The rank of the document that a key is about; -1 for any other."""
    rank, _, part = key.partition("documents.")[2].partition(".")
    return int(rank) if part.startswith("document.") and rank in set("0123456789") else -1
