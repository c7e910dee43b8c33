from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragvigil.predicates import (
    Filter,
    Predicate,
    all_,
    and_,
    entitlement,
    eq,
    exists,
    gt,
    in_,
    is_null,
    lte,
    nin,
    not_,
    opaque,
    or_,
    prefix,
    relevance,
    where,
)
from ragvigil_monitor.demo.index import CACHED_MASKS, Index

SIZE, DIMENSION = 40, 8
SCALARS = st.one_of(st.sampled_from(["a", "b", "ab", "1", True, False, 0, 1, 1.0, 2.5]))
FIELDS = st.sampled_from(["package", "kind", "words"])
DOCUMENTS = st.dictionaries(FIELDS, st.one_of(st.none(), SCALARS, st.lists(SCALARS, max_size=3)))
LEAVES = st.one_of(
    *(st.builds(make, FIELDS, SCALARS) for make in (eq, gt, lte)),
    *(st.builds(make, FIELDS, st.lists(SCALARS, max_size=3)) for make in (in_, nin, all_)),
    *(st.builds(make, FIELDS) for make in (exists, is_null)),
    st.builds(prefix, FIELDS, st.sampled_from(["a", "b"])),
)
PREDICATES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda args: and_(*args), st.lists(inner, max_size=3)),
        st.builds(lambda args: or_(*args), st.lists(inner, max_size=3)),
        st.builds(not_, inner),
    ),
    max_leaves=5,
)
FILTERS = st.lists(st.builds(entitlement, PREDICATES) | st.builds(relevance, PREDICATES), max_size=4).map(
    lambda clauses: where(*clauses)
)


def unit_vectors(count: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    vectors = np.random.default_rng(1).normal(size=(count, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


VECTORS = unit_vectors(SIZE)
IDS = [f"d{number}" for number in range(SIZE)]
TEXTS = [f"text of d{number}" for number in range(SIZE)]


def brute_force(documents: list[dict[str, Any]], where: Filter, k: int) -> list[str]:
    scores = VECTORS @ VECTORS[0]
    passing = [place for place, document in enumerate(documents) if where.matches(document)]
    return [IDS[place] for place in sorted(passing, key=lambda place: -scores[place])[:k]]


@given(documents=st.lists(DOCUMENTS, min_size=SIZE, max_size=SIZE), where=FILTERS, k=st.integers(1, SIZE + 5))
def test_finds_what_a_full_scan_finds(documents: list[dict[str, Any]], where: Filter, k: int) -> None:
    hits = Index(IDS, TEXTS, VECTORS, documents).search(VECTORS[0], where, k)
    assert [hit.id for hit in hits] == brute_force(documents, where, k)
    np.testing.assert_allclose(
        [hit.score for hit in hits], [VECTORS[IDS.index(h.id)] @ VECTORS[0] for h in hits], atol=1e-6
    )


@given(documents=st.lists(DOCUMENTS, min_size=SIZE, max_size=SIZE), filters=st.lists(FILTERS, min_size=2, max_size=6))
@example(
    documents=[{"words": 1}] * 20 + [{"words": True}] * 20,
    filters=[where(eq("words", 1)), where(eq("words", True)), where(eq("words", 1))],
)
def test_one_filter_never_answers_for_another(documents: list[dict[str, Any]], filters: list[Filter]) -> None:
    index = Index(IDS, TEXTS, VECTORS, documents)
    for one in filters:
        found = [hit.id for hit in index.search(VECTORS[0], one, SIZE)]
        assert found == brute_force(documents, one, SIZE)


def test_a_root_that_is_no_conjunction_is_evaluated_too() -> None:
    documents = [{"kind": "class" if place % 2 else "function"} for place in range(SIZE)]
    hits = Index(IDS, TEXTS, VECTORS, documents).search(VECTORS[0], Filter(eq("kind", "class")), SIZE)
    assert {hit.id for hit in hits} == set(IDS[1::2])


@pytest.mark.parametrize(
    "unreadable",
    [
        Filter(None, raw="<lambda>"),
        where(entitlement(opaque("geo", "near"))),
        where(relevance(or_(opaque("geo", "near"), eq("kind", "class")))),
    ],
    ids=["not read", "opaque", "opaque below or"],
)
def test_a_filter_that_cannot_be_evaluated_is_refused_not_ignored(unreadable: Filter) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        Index(IDS, TEXTS, VECTORS, [{}] * SIZE).search(VECTORS[0], unreadable, 5)


def test_a_hit_carries_its_own_text_and_metadata() -> None:
    documents = [{"words": place} for place in range(SIZE)]
    hits = Index(IDS, TEXTS, VECTORS, documents).search(VECTORS[0], where(), SIZE)
    assert all(hit.text == f"text of {hit.id}" for hit in hits)
    assert all(f"d{hit.metadata['words']}" == hit.id for hit in hits)


def test_nothing_passes_gives_nothing() -> None:
    nothing: Predicate = or_()
    assert Index(IDS, TEXTS, VECTORS, [{}] * SIZE).search(VECTORS[0], where(nothing), 5) == []


def test_a_zero_vector_finds_documents_with_score_zero() -> None:
    hits = Index(IDS, TEXTS, VECTORS, [{}] * SIZE).search(np.zeros(DIMENSION, np.float32), where(), 3)
    assert [hit.score for hit in hits] == [0, 0, 0]


@pytest.mark.parametrize(
    ("texts", "vectors"), [(TEXTS, VECTORS[:3]), (TEXTS[1:], VECTORS)], ids=["fewer vectors", "a text missing"]
)
def test_columns_of_different_length_are_refused(texts: list[str], vectors: np.ndarray[Any, np.dtype[Any]]) -> None:
    with pytest.raises(ValueError, match="do not match"):
        Index(IDS, texts, vectors, [{}] * SIZE)


@pytest.mark.parametrize("broken", [np.nan, np.inf], ids=["NaN", "infinite"])
def test_a_vector_that_is_not_finite_finds_no_document_with_a_finite_score(broken: float) -> None:
    vector = np.full(DIMENSION, broken, np.float32)
    with np.errstate(invalid="ignore"):
        hits = Index(IDS, TEXTS, VECTORS, [{}] * SIZE).search(vector, where(), 5)
    assert not any(np.isfinite(hit.score) for hit in hits)


def test_a_vector_of_another_dimension_is_an_error() -> None:
    with pytest.raises(ValueError, match="size"):
        Index(IDS, TEXTS, VECTORS, [{}] * SIZE).search(np.zeros(DIMENSION + 1, np.float32), where(), 5)


def test_more_filters_than_are_kept_are_still_answered_rightly() -> None:
    documents = [{"words": place} for place in range(SIZE)]
    index = Index(IDS, TEXTS, VECTORS, documents)
    for _ in range(2):
        for number in range(CACHED_MASKS + 20):
            hits = index.search(VECTORS[0], where(eq("words", number)), 5)
            assert [hit.id for hit in hits] == ([f"d{number}"] if number < SIZE else [])
