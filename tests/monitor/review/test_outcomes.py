"""What a label of a relevance item means."""

import pytest

from ragvigil_monitor.review.outcomes import Label, Outcome, Search, Unknown, outcome

FOUND = frozenset({"a", "b"})
PROBED = frozenset({"a", "b", "c", "d"})


RETRIEVAL = Search(FOUND, 10)


def search(*documents: str, depth: int = 10, version: str | None = None) -> Search:
    return Search(frozenset(documents), depth, version)


def probe(passes: dict[str, bool | None] | None = None, *, version: str | None = None) -> Search:
    return Search(PROBED, 20, version, {"a": True, "b": True, "c": False, "d": False} if passes is None else passes)


def read(
    *relevant: str,
    retrieval: Search | None = RETRIEVAL,
    probed: Search | None = None,
    shown: frozenset[str] = PROBED,
    is_filtered: bool = True,
    **later: frozenset[str],
) -> Outcome:
    probed = probe() if probed is None and is_filtered else probed
    return outcome(Label(shown, frozenset(relevant)), retrieval, probed, later, is_filtered=is_filtered)


def test_evidence_that_fails_the_clauses_as_a_whole_is_excluded() -> None:
    assert read("c", "d") == Outcome(True, True, "filter", None, 20)


def test_evidence_of_which_some_was_found_is_not_excluded() -> None:
    assert read("a", "c") == Outcome(True, False, "kept", None, 20)


def test_what_the_filtered_search_found_passes_whatever_the_probe_says() -> None:
    assert read("a", probed=probe({"a": False})).is_excluded is False


def test_evidence_that_passes_but_was_not_found_is_a_miss_of_the_ranking() -> None:
    assert read("c", probed=probe({"c": True})) == Outcome(True, False, "retrieve", None, 20)


def test_without_relevant_documents_there_is_no_evidence_to_lose() -> None:
    assert read() == Outcome(False, False, None, None, 20)


@pytest.mark.parametrize("passes", [{}, {"c": None, "d": False}], ids=["nothing said", "one unknown"])
def test_without_metadata_it_is_not_known_and_never_a_zero(passes: dict[str, bool | None]) -> None:
    assert read("c", "d", probed=probe(passes)) == Outcome(True, None, None, Unknown.NO_METADATA, 20)


def test_one_document_that_passes_is_enough_beside_unknown_ones() -> None:
    assert read("c", "d", probed=probe({"c": None, "d": True})).is_excluded is False


@pytest.mark.parametrize(
    ("versions", "unknown"),
    [(("1", "2"), Unknown.INDEX_CHANGED), (("1", "1"), None), ((None, None), None), (("1", None), None)],
    ids=["another", "the same", "not recorded", "half recorded"],
)
def test_two_builds_of_the_index_are_not_compared(
    versions: tuple[str | None, str | None], unknown: Unknown | None
) -> None:
    found = read("c", retrieval=search("a", "b", version=versions[0]), probed=probe(version=versions[1]))
    assert (found.unknown_because, found.is_excluded) == (unknown, None if unknown else True)


def test_what_the_filtered_search_found_passes_whatever_became_of_the_index() -> None:
    found = read("a", retrieval=search("a", version="1"), probed=probe(version="2"), rerank=frozenset())
    assert found == Outcome(True, False, "rerank", None, 20)


def test_spans_that_are_gone_leave_it_unknown() -> None:
    assert read("c", retrieval=None) == Outcome(True, None, None, Unknown.SPANS_MISSING, None)
    gone = outcome(Label(PROBED, frozenset("c")), search("a"), None, {}, is_filtered=True)
    assert gone.unknown_because is Unknown.SPANS_MISSING
    assert read(retrieval=None) == Outcome(False, False, None, None, None)


def test_documents_that_nobody_was_shown_may_have_been_evidence() -> None:
    few = frozenset({"c"})
    assert read("c", shown=few) == Outcome(True, None, None, Unknown.NOT_ALL_SHOWN, 20)
    assert read(shown=few) == Outcome(None, None, None, Unknown.NOT_ALL_SHOWN, 20)
    assert read("a", shown=frozenset({"a"})).is_excluded is False


def test_a_retrieval_without_relevance_clauses_excludes_nothing() -> None:
    found = read("b", shown=FOUND, is_filtered=False, citation=frozenset({"b"}))
    assert found == Outcome(True, False, "kept", None, 10)
    assert read(shown=FOUND, is_filtered=False).has_evidence is False
