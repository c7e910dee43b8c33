"""What a probe tells of each document: does it pass the clauses that were dropped, by metadata that stay here."""

import asyncio
import json
import math
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.samples.names import stable

import ragvigil
from ragvigil import Filter, entitlement, relevance, where
from ragvigil import attributes as names
from ragvigil.predicates import (
    And,
    Clause,
    Predicate,
    eq,
    evaluate,
    exists,
    gt,
    in_,
    is_null,
    lt,
    nin,
    not_,
    opaque,
    or_,
    prefix,
)
from ragvigil.probes.passes import DroppedClauses
from ragvigil.testing import InMemoryExporter

Configured = Callable[..., InMemoryExporter]
SAID = where(entitlement(eq("tenant", "acme")), relevance(eq("lang", "de")), relevance(gt("year", 2020)))
GERMAN, FRENCH = {"tenant": "acme", "lang": "de", "year": 2024}, {"tenant": "acme", "lang": "fr", "year": 2024}


def passes(metadata: object, said: Filter = SAID) -> bool | None:
    """What is told of one document that the filtered search did not find."""
    (told,) = DroppedClauses(said, ()).passes(["d"], [metadata])
    return told


def documents(**metadata: object) -> list[dict[str, object]]:
    return [{"id": name, "score": 0.5, "metadata": each} for name, each in metadata.items()]


def told_by_probe(
    exporter: InMemoryExporter, search: Callable[[str, Any, int], object], said: Filter = SAID
) -> dict[str, bool | None]:
    """Search through the package; what the probe tells of each document, by id."""
    ragvigil.retriever(filter="filter", top_k="k")(search)("files", said, 2)
    assert ragvigil.flush()
    (probe,) = [span for span in exporter.spans if names.PROBE_KIND in span.attributes]
    found = json.loads(probe.attributes[names.STAGE_OUTPUT_DOCUMENTS])
    told = json.loads(probe.attributes[names.PROBE_PASSES])
    return {document["id"]: passed for document, passed in zip(found, told, strict=True)}


def finding(found: object) -> Callable[[str, object, int], object]:
    """A search that finds the same with and without relevance clauses."""

    def search(query: str, filter: object, k: int) -> object:  # noqa: A002 - a usual name
        return found

    return search


# --- on the span of a probe ----------------------------------------------------------------------------------


def test_a_probe_tells_of_each_document_and_shows_no_metadata(probing: Configured) -> None:
    exporter = probing(document_texts=True)

    def search(query: str, filter: Filter, k: int) -> list[dict[str, object]]:  # noqa: A002 - a usual name
        found = documents(one=GERMAN, two=FRENCH, three={"color": "hidden"}, four=None)
        return found if filter != SAID else found[:1]

    assert told_by_probe(exporter, search) == {"one": True, "two": False, "three": False, "four": None}
    assert not any(word in str(span.attributes) for span in exporter.spans for word in ("acme", "2024", "hidden"))
    probed = next(span for span in exporter.spans if names.PROBE_KIND not in span.attributes)
    assert names.PROBE_PASSES not in probed.attributes


@pytest.mark.parametrize(
    "found",
    [
        [SimpleNamespace(id="d", metadata=GERMAN)],
        [SimpleNamespace(id="d", payload=GERMAN)],
        [(SimpleNamespace(id="d", metadata=GERMAN), 0.5)],
        [{"id": "d", "payload": GERMAN}],
        {"ids": ["d"], "metadata": [GERMAN]},
    ],
    ids=["metadata", "payload", "with a score", "mapping", "lists"],
)
def test_metadata_are_found_in_what_retrievers_return(probing: Configured, found: object) -> None:
    assert told_by_probe(probing(), finding(found)) == {"d": True}


@pytest.mark.parametrize(
    "found",
    [["d"], [("d", 0.5)], {"ids": ["d"]}, {"ids": ["d"], "metadata": 5}, {"ids": ["d"], "metadata": [5]}],
    ids=["ids", "pairs", "lists", "metadata are no list", "metadata are no mappings"],
)
def test_nothing_is_told_where_there_are_no_metadata(probing: Configured, found: object) -> None:
    assert told_by_probe(probing(), finding(found)) == {"d": None}


def test_metadata_of_a_result_of_any_shape_are_extracted_once(probing: Configured) -> None:
    exporter, extracted = probing(), []

    def hits(result: Any) -> object:
        extracted.append(result)
        return documents(d=result["hit"])

    @ragvigil.retriever(filter="filter", top_k="k", documents=hits)
    def search(query: str, filter: Filter, k: int) -> dict[str, object]:  # noqa: A002 - a usual name
        return {"hit": FRENCH if filter != SAID else {}}

    search("files", SAID, 2)
    assert ragvigil.flush()
    (told,) = [span.attributes[names.PROBE_PASSES] for span in exporter.spans if names.PROBE_KIND in span.attributes]
    assert told == "[null]"  # the first search found it, so its metadata cannot be all that the filter sees
    assert len(extracted) == 2


def test_documents_that_the_search_records_itself_have_no_metadata(probing: Configured) -> None:
    def search(query: str, filter: Filter, k: int) -> list[dict[str, object]]:  # noqa: A002 - a usual name
        ragvigil.current_stage().outputs(["mine", "own"])
        return documents(d=GERMAN)

    assert told_by_probe(probing(), search) == {"mine": None, "own": None}


async def test_an_async_search_tells_the_same(probing: Configured) -> None:
    exporter = probing()

    @ragvigil.retriever(filter="filter", top_k="k")
    async def search(query: str, filter: Filter, k: int) -> list[dict[str, object]]:  # noqa: A002 - a usual name
        return documents(one=GERMAN, two=FRENCH) if filter != SAID else documents(one=GERMAN)

    await search("files", SAID, 2)
    assert await asyncio.to_thread(ragvigil.flush)
    (told,) = [span.attributes[names.PROBE_PASSES] for span in exporter.spans if names.PROBE_KIND in span.attributes]
    assert told == "[true,false]"


# --- what is told --------------------------------------------------------------------------------------------


def test_entitlement_has_no_part_in_it() -> None:
    assert passes({"lang": "de", "year": 2024, "tenant": "another"}) is True
    assert passes({"lang": "de", "year": 2024}) is True
    assert passes({"tenant": "acme", "lang": "de"}) is False


@pytest.mark.parametrize(
    ("metadata", "told"),
    [({"lang": "de"}, None), ({"lang": "fr"}, False)],
    ids=["the opaque clause decides", "another clause decides"],
)
def test_an_opaque_clause_is_unknown(metadata: Mapping[str, object], told: bool | None) -> None:
    assert passes(metadata, where(relevance(opaque("es", "geo")), relevance(eq("lang", "de")))) is told


def test_metadata_that_contradict_the_probed_search_tell_nothing() -> None:
    dropped = DroppedClauses(SAID, found=("a", 7))
    projected = {"title": "the filter field was not fetched"}
    assert dropped.passes(["x", "a"], [FRENCH, projected]) == (None, None)
    assert dropped.passes(["x", "7"], [FRENCH, projected]) == (None, None)
    assert dropped.passes(["x", "a"], [FRENCH, GERMAN]) == (False, True)
    assert dropped.passes(["x", "a"], [FRENCH, None]) == (False, None)


class Raising(Mapping[str, object]):
    """Metadata that fail, in any way that reading them may."""

    def __init__(self, fails_at: str) -> None:
        self._fails_at = fails_at

    def _fail(self, place: str, otherwise: Any) -> Any:
        if place == self._fails_at:
            raise ConnectionError("a lazy document")
        return otherwise

    def __getitem__(self, key: str) -> object:
        return self._fail("item", "de")

    def __iter__(self) -> Iterator[str]:
        return iter(self._fail("iter", ["lang"]))

    def __len__(self) -> int:
        return int(self._fail("len", 1))

    def __contains__(self, key: object) -> bool:
        return bool(self._fail("contains", True))


def cyclic() -> dict[str, object]:
    made: dict[str, object] = {"year": 2024}
    made["lang"] = ["de", made]
    return made


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        {},
        "lang",
        ["lang"],
        5,
        object(),
        dict,
        Raising("item"),
        Raising("len"),
        Raising("contains"),
        {"lang": "de", "year": math.nan},
        {"lang": "de", "year": [2024, math.inf]},
        {"lang": ["de"] * 201, "year": 2024},
        {"lang": {"code": "de"}, "year": 2024},
        {"lang": b"de", "year": 2024},
        {"lang": "de", "year": object()},
        cyclic(),
    ],
    ids=stable,
)
def test_hostile_metadata_tell_nothing_and_do_no_harm(metadata: object) -> None:
    assert passes(metadata) is None


def test_a_hostile_field_that_no_clause_asks_for_does_not_matter() -> None:
    more: dict[object, object] = {"other": math.nan, "more": cyclic(), 5: object()}
    assert passes(more | GERMAN) is True


def test_a_document_whose_metadata_fail_costs_its_own_verdict_only(probing: Configured) -> None:
    class Lazy:
        id = "lazy"

        @property
        def metadata(self) -> dict[str, object]:
            raise ConnectionError

    found = [Lazy(), SimpleNamespace(id="d", metadata=GERMAN)]
    assert told_by_probe(probing(), finding(found)) == {"lazy": None, "d": True}


@pytest.mark.parametrize("metadata", [(), ({"lang": "fr", "year": 2024},) * 5], ids=["too few", "too many"])
def test_there_is_one_verdict_a_document_whatever_the_number_of_metadata(metadata: tuple[object, ...]) -> None:
    assert len(DroppedClauses(SAID, ()).passes(["a", "b"], metadata)) == 2


# --- random filters and documents ----------------------------------------------------------------------------

FIELDS = st.sampled_from(["tenant", "lang", "year", "kind"])
VALUES = st.sampled_from(["a", "b", "", 1, 2.0, 0, True, False])
LEAVES = (
    st.builds(eq, FIELDS, VALUES)
    | st.builds(in_, FIELDS, st.lists(VALUES, max_size=3))
    | st.builds(nin, FIELDS, st.lists(VALUES, max_size=3))
    | st.builds(gt, FIELDS, VALUES)
    | st.builds(prefix, FIELDS, st.sampled_from(["a", ""]))
    | st.builds(exists, FIELDS)
    | st.builds(is_null, FIELDS)
    | st.just(opaque("es", "geo"))
)
PREDICATES = st.recursive(
    LEAVES, lambda inner: st.builds(not_, inner) | st.builds(or_, inner, inner) | st.builds(And, st.tuples(inner))
)
CLAUSES = st.lists(PREDICATES.map(relevance) | PREDICATES.map(entitlement) | PREDICATES, max_size=4)
METADATA = st.none() | st.dictionaries(FIELDS, st.none() | VALUES | st.lists(st.none() | VALUES, max_size=3))


@given(CLAUSES, st.lists(METADATA, max_size=4))
def test_it_is_the_filter_without_entitlement(clauses: list[Any], metadata: list[dict[str, object] | None]) -> None:
    said = where(*clauses)
    dropped = And(tuple([c.predicate for c in clauses if isinstance(c, Clause) and c.role == "relevance"]))
    told = DroppedClauses(said, ()).passes(range(len(metadata)), metadata)
    for verdict, each in zip(told, metadata, strict=True):
        lists = [value for value in (each or {}).values() if isinstance(value, list)]
        if verdict is not None or not any(len(value) > 1 or None in value for value in lists):
            assert verdict == (evaluate(dropped, each) if each else None)


@pytest.mark.parametrize(
    ("clauses", "value", "told"),
    [
        ([gt("year", 3), lt("year", 5)], [1, 9], None),
        ([gt("year", 3), lt("year", 5)], [4], True),
        ([gt("year", 3), lt("year", 5)], 4, True),
        ([gt("year", 3), lt("lang", 5)], [1, 9], False),
        ([is_null("year")], [None], None),
        ([exists("year")], [None, 1], None),
        ([eq("year", 1)], [None, 1], True),
        ([exists("year")], [], False),
    ],
)
def test_of_a_list_that_databases_judge_differently_nothing_is_told(
    clauses: list[Predicate], value: object, told: bool | None
) -> None:
    assert passes({"year": value}, where(*[relevance(clause) for clause in clauses])) is told


def test_metadata_that_are_part_of_a_filter_are_no_list_of_values() -> None:
    assert passes({"year": 2024, "lang": eq("tenant", "de")}) is None
