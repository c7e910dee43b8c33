from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.demo.index import Hit
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.parts import Parts
from ragvigil_monitor.demo.reranker import KEPT


def test_a_document_that_shares_the_words_overtakes_a_nearer_one(healthy: Parts) -> None:
    hits = [Hit("statistics.median_low", 0.62, "", {}), Hit("json.loads", 0.6, "", {})]
    ranked = healthy.reranker.rerank("deserialize a JSON document to a Python object", hits)
    assert [hit.id for hit in ranked] == ["json.loads", "statistics.median_low"]


@given(question=st.text(max_size=80), scores=st.lists(st.floats(0, 1), max_size=25))
def test_keeps_a_few_of_its_input_best_first(
    library: Library, healthy: Parts, question: str, scores: list[float]
) -> None:
    hits = [Hit(name, score, "", {}) for name, score in zip(library.entries, scores, strict=False)]
    ranked = healthy.reranker.rerank(question, hits)
    assert len(ranked) == min(KEPT, len(hits))
    assert {hit.id for hit in ranked} <= {hit.id for hit in hits}
    assert all(0 <= hit.score <= 2 + 1e-6 for hit in ranked)
    assert [hit.score for hit in ranked] == sorted((hit.score for hit in ranked), reverse=True)


def test_does_not_reorder_what_it_was_given(healthy: Parts) -> None:
    hits = [Hit("json.loads", 0.1, "", {}), Hit("json.dumps", 0.9, "", {})]
    healthy.reranker.rerank("loads", hits)
    assert [hit.id for hit in hits] == ["json.loads", "json.dumps"]
