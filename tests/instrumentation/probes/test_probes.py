"""Probes: the same search again, after the answer, without relevance clauses, twice as deep, in a trace of its own."""

import contextvars
import gc
import json
import threading
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.samples.probed_search import SAID, Index, decorated, split

import ragvigil
from ragvigil import Filter, ProbeCounts, entitlement, relevance, where
from ragvigil import attributes as names
from ragvigil.predicates import eq, in_, opaque
from ragvigil.testing import InMemoryExporter

Configured = Callable[..., InMemoryExporter]
WaitFor = Callable[[Callable[[], object]], None]


def test_a_filtered_search_is_done_again_without_relevance_and_deeper(probing: Configured, index: Index) -> None:
    exporter = probing()
    search = decorated(index)
    with ragvigil.pipeline("ask"):
        assert search("files", where=SAID, k=5) == ["d0", "d1", "d2", "d3", "d4"]
        assert len(index.asked) == 1
    assert ragvigil.flush()
    assert index.asked == [(SAID, 5), (SAID.relaxed(), 10)]
    assert index.queries == ["files", "files"]
    assert index.threads[0] is threading.current_thread()
    assert index.threads[1] is not index.threads[0]
    probed, probe = split(exporter.spans)
    assert probe.trace_id != probed.trace_id
    assert probe.parent_id == ""
    assert probe.links == [(probed.trace_id, probed.span_id)]
    assert probe.attributes[names.PROBE_ID] == f"{probed.trace_id}-{probed.span_id}"
    assert probe.attributes[names.PROBE_KIND] == "relaxed_filter"
    assert probe.attributes[names.PROBE_DROPPED_CLAUSES] == ["/args/1", "/args/2"]
    assert probe.attributes[names.SAMPLING_PROBABILITY] == 1.0
    assert probe.attributes[names.SPAN_KIND] == "RETRIEVER"
    assert probe.attributes[names.STAGE] == "retrieve"
    assert probe.attributes[names.RETRIEVAL_TOP_K] == 10
    assert probe.attributes[names.RETRIEVAL_QUERY_TEXT] == "files"
    assert len(json.loads(probe.attributes[names.STAGE_OUTPUT_DOCUMENTS])) == 10
    assert [c["role"] for c in json.loads(probe.attributes[names.FILTER_CLAUSES])] == ["entitlement"]
    assert "acme" not in str(probe.attributes)
    assert names.ANSWER_SPAN_ID not in probe.attributes
    assert names.PROBE_ID not in probed.attributes
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, run=1)


def test_nothing_is_probed_unless_it_is_asked_for(probing: Configured, index: Index) -> None:
    probing(probe_share=0.0)
    decorated(index)("files", SAID)
    assert ragvigil.flush()
    assert len(index.asked) == 1
    assert ragvigil.counts().probes == ProbeCounts()


def test_a_retriever_may_refuse_probes(probing: Configured, index: Index) -> None:
    probing()
    decorated(index, probe=False)("files", SAID)
    assert ragvigil.flush()
    assert len(index.asked) == 1
    assert ragvigil.counts().probes == ProbeCounts()


def test_a_share_of_the_traces_is_probed_whole(probing: Configured, index: Index) -> None:
    probing(probe_share=0.3, max_waiting_probes=10_000)
    search = decorated(index)
    for _ in range(200):
        with ragvigil.pipeline("ask"):
            search("first", SAID)
            search("second", SAID)
    assert ragvigil.flush(timeout_s=60)
    probes = ragvigil.counts().probes
    assert probes.run == probes.sampled == len(index.asked) - 400
    assert probes.run % 2 == 0
    assert 30 * 2 < probes.run < 90 * 2


def test_the_share_is_recorded_with_each_probe(probing: Configured, index: Index) -> None:
    exporter = probing(probe_share=0.5)
    for _ in range(30):
        decorated(index)("files", SAID)
        assert ragvigil.flush()
    shares = {span.attributes[names.SAMPLING_PROBABILITY] for span in exporter.spans if span.links}
    assert shares == {0.5}


@pytest.mark.parametrize(
    "said",
    [
        None,
        where(),
        where(entitlement(eq("tenant", "acme"))),
        where(eq("tenant", "acme")),
        {"tenant": "acme"},
        object(),
    ],
    ids=["no filter", "no clause", "entitlement", "no role", "mapping without relevance", "unreadable"],
)
def test_a_search_without_relevance_clauses_is_not_probed(probing: Configured, index: Index, said: object) -> None:
    probing()
    decorated(index)("files", said)
    assert ragvigil.flush()
    assert len(index.asked) == 1
    assert ragvigil.counts().probes == ProbeCounts()


def test_an_opaque_clause_of_entitlement_stays_and_one_of_relevance_goes(probing: Configured, index: Index) -> None:
    probing()
    said = where(entitlement(opaque("es", "acl")), relevance(opaque("es", "geo")), relevance(eq("kind", "a")))
    decorated(index)("files", said)
    assert ragvigil.flush()
    assert index.asked[1][0] == where(entitlement(opaque("es", "acl")))


@pytest.mark.parametrize(
    ("native", "asked"),
    [
        ({"tenant": ["a", "b"], "lang": "de"}, {"tenant": ["a", "b"]}),
        ({"lang": "de"}, None),
    ],
    ids=["fields of relevance go", "an empty one is none at all"],
)
def test_mappings_are_relaxed_by_their_fields(
    probing: Configured, index: Index, native: dict[str, Any], asked: object
) -> None:
    probing()
    decorated(index, relevance=("lang",))("files", native)
    assert ragvigil.flush()
    assert index.asked == [(native, 3), (asked, 6)]


def test_an_empty_mapping_stays_one_where_none_is_not_expected(probing: Configured) -> None:
    probing()
    asked: list[object] = []

    @ragvigil.retriever(filter="where", top_k="k", relevance=("lang",))
    def search(query: str, where: dict[str, str], k: int) -> list[str]:
        asked.append(where)
        return ["a"]

    search("files", {"lang": "de"}, 3)
    assert ragvigil.flush()
    assert asked == [{"lang": "de"}, {}]


def test_a_bare_predicate_stays_one(probing: Configured, index: Index) -> None:
    probing()
    decorated(index, relevance=("lang",))("files", eq("lang", "de"))
    assert ragvigil.flush()
    assert index.asked[1][0] == where().predicate


def test_what_the_caller_does_to_its_filter_afterwards_changes_nothing(probing: Configured, index: Index) -> None:
    probing()
    native: dict[str, Any] = {"tenant": ["acme"], "lang": "de"}
    with ragvigil.pipeline("ask"):
        decorated(index, relevance=("lang",))("files", native)
        native["tenant"].append("beta")
        del native["lang"]
    assert ragvigil.flush()
    assert index.asked[1][0] == {"tenant": ["acme"]}


def test_a_filter_that_the_search_itself_changed_is_not_probed(
    probing: Configured, caplog: pytest.LogCaptureFixture
) -> None:
    probing()
    asked: list[dict[str, str]] = []

    @ragvigil.retriever(filter="where", top_k="k", relevance=("lang",))
    def search(query: str, where: dict[str, str], k: int = 3) -> list[str]:
        asked.append(where)
        where["tenant"] = "acme"
        return ["a"]

    search("files", {"lang": "de"})
    assert ragvigil.flush()
    assert len(asked) == 1
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, unsupported=1)
    assert "it is not, or no longer, the filter that was recorded" in caplog.text


def test_a_search_that_records_another_filter_than_its_argument_is_not_probed(probing: Configured) -> None:
    probing()
    asked: list[object] = []

    @ragvigil.retriever(filter="where", top_k="k")
    def search(query: str, where: Filter, k: int = 3) -> list[str]:
        asked.append(where)
        ragvigil.current_stage().filter(SAID)
        return ["a"]

    search("files", where(relevance(eq("lang", "fr"))))
    assert ragvigil.flush()
    assert len(asked) == 1
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, unsupported=1)


@pytest.mark.parametrize(
    ("options", "k", "reason"),
    [
        ({"top_k": None}, 3, "must name both arguments"),
        ({}, None, "k is not a number of documents"),
        ({}, 0, "k is not a number of documents"),
        ({}, "3", "k is not a number of documents"),
        ({"documents": lambda _: 5}, 3, "its documents cannot be read"),
    ],
    ids=["without k", "None", "zero", "text", "documents unread"],
)
def test_what_cannot_be_probed_is_counted_and_told(
    probing: Configured,
    lenient: None,
    caplog: pytest.LogCaptureFixture,
    options: dict[str, Any],
    k: object,
    reason: str,
) -> None:
    probing()
    calls: list[object] = []

    @ragvigil.retriever(**{"filter": "where", "top_k": "k", **options})
    def search(query: str, where: object, k: object) -> list[str]:
        calls.append(where)
        return ["a"]

    search("files", SAID, k)
    assert ragvigil.flush()
    assert len(calls) == 1
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, unsupported=1)
    assert reason in caplog.text


def test_a_search_that_failed_is_not_probed(probing: Configured) -> None:
    probing()
    calls: list[object] = []

    @ragvigil.retriever(filter="where", top_k="k")
    def search(query: str, where: object, k: int = 3) -> list[str]:
        calls.append(where)
        raise ConnectionError("no index")

    with pytest.raises(ConnectionError):
        search("files", SAID)
    assert ragvigil.flush()
    assert len(calls) == 1
    assert ragvigil.counts().probes == ProbeCounts()


def test_generators_are_not_probed(probing: Configured) -> None:
    probing()
    calls: list[object] = []

    @ragvigil.retriever(filter="where", top_k="k", documents=lambda text: [text])
    def search(query: str, where: object, k: int = 3) -> Iterator[str]:
        calls.append(where)
        yield "a"

    assert list(search("files", SAID)) == ["a"]
    assert ragvigil.flush()
    assert len(calls) == 1


class Vector:
    """An argument that can be watched."""


@pytest.mark.parametrize("waits", [True, False], ids=["dropped", "run"])
def test_no_argument_is_kept_longer_than_its_probe(probing: Configured, wait_for: WaitFor, waits: bool) -> None:
    probing()

    @ragvigil.retriever(filter="where", query="query", top_k="k")
    def search(query: str, vector: Vector, where: Filter, k: int = 3) -> list[str]:
        return [f"{type(vector).__name__} {where.state} {k}"]

    vector = Vector()
    watched = weakref.ref(vector)
    if waits:
        with ragvigil.pipeline("ask"):
            search("files", vector, SAID)
            ragvigil.shutdown()
    else:
        search("files", vector, SAID)
        assert ragvigil.flush()
    del vector
    wait_for(lambda: gc.collect() >= 0 and watched() is None)


# --- when and where ------------------------------------------------------------------------------------------


def test_probes_wait_for_the_end_of_a_streamed_answer(probing: Configured, index: Index, wait_for: WaitFor) -> None:
    probing()
    search = decorated(index)

    @ragvigil.pipeline
    def answer(question: str) -> Iterator[str]:
        yield search(question, SAID)[0]
        yield "more"

    streamed = answer("files")
    assert next(streamed) == "d0"
    assert ragvigil.flush()
    assert ragvigil.counts().probes == ProbeCounts(sampled=1)
    assert list(streamed) == ["more"]
    assert ragvigil.flush()
    assert len(index.asked) == 2


def test_context_variables_of_the_call_say_who_asks(probing: Configured) -> None:
    probing()
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user", default="nobody")
    seen: list[str] = []

    @ragvigil.retriever(filter="where", top_k="k")
    def search(query: str, where: object, k: int = 3) -> list[str]:
        seen.append(user.get())
        return ["a"]

    token = user.set("ada")
    search("files", SAID)
    user.reset(token)
    assert ragvigil.flush()
    assert seen == ["ada", "ada"]


def test_what_a_probe_does_inside_is_no_traffic_and_not_probed_again(probing: Configured, index: Index) -> None:
    exporter = probing()
    inner = decorated(index)

    @ragvigil.retriever(filter="where", top_k="k")
    def hybrid(query: str, where: object, k: int = 3) -> list[str]:
        with ragvigil.pipeline("nested"), ragvigil.stage("embed"):
            pass
        return inner(query, where, k)

    with ragvigil.pipeline("ask"):
        hybrid("files", SAID)
    assert ragvigil.flush()
    assert ragvigil.counts().probes == ProbeCounts(sampled=2, run=2)
    ours = next(span.trace_id for span in exporter.spans if span.name == "ask")
    probes = [span for span in exporter.spans if span.trace_id != ours]
    assert sorted(span.name for span in probes) == ["embed", "nested", "retrieve", "retrieve", "retrieve"]
    assert all(names.PROBE_ID in span.attributes for span in probes)
    assert not any({names.ANSWER_ID, names.ANSWER_SPAN_ID} & set(span.attributes) for span in probes)
    assert not any(names.PROBE_ID in span.attributes for span in exporter.spans if span.trace_id == ours)


def test_too_many_searches_in_one_answer_are_dropped_and_counted(probing: Configured, index: Index) -> None:
    probing(max_waiting_probes=1000)
    search = decorated(index)
    with ragvigil.pipeline("ask"):
        for _ in range(50):
            search("files", SAID)
    assert ragvigil.flush(timeout_s=20)
    assert ragvigil.counts().probes == ProbeCounts(sampled=50, run=20, dropped=30)


def test_methods_are_probed_too(probing: Configured) -> None:
    probing()

    class Store:
        def __init__(self) -> None:
            self.asked: list[tuple[str, object, int]] = []

        @ragvigil.retriever(filter="where", top_k="k")
        def search(self, query: str, *, where: Filter, k: int) -> list[str]:
            self.asked.append((query, where, k))
            return ["a"]

    store = Store()
    store.search("files", where=SAID, k=2)
    assert ragvigil.flush()
    assert store.asked == [("files", SAID, 2), ("files", SAID.relaxed(), 4)]


# --- failing and hanging -------------------------------------------------------------------------------------


def test_a_filter_of_a_list_of_values_reaches_the_probe_whole(probing: Configured, index: Index) -> None:
    probing()
    said = where(entitlement(in_("tenant", ["a", "b"])), relevance(in_("lang", ["de", "fr"])))
    decorated(index)("files", said)
    assert ragvigil.flush()
    assert index.asked[1][0] == where(entitlement(in_("tenant", ["a", "b"])))
