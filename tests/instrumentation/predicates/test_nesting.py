"""Filters, clauses and anything else in place of predicates: entitlement stays, and what is unknown says so."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import ragvigil
from ragvigil import entitlement, relevance, where
from ragvigil.dialects import read_filter
from ragvigil.predicates import And, Clause, Filter, Label, Leaf, Not, Opaque, Or, eq, opaque, to_json
from ragvigil.predicates.ast import walk
from ragvigil.testing import recording

TENANT = eq("tenant", "acme")
KIND = eq("kind", "function")
TOPIC = eq("topic", "io")


class Hostile:
    """Fails whatever is done to it."""

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":
            return object.__getattribute__(self, name)
        raise RuntimeError(name)


GARBAGE: list[Any] = ["x", {"lang": "de"}, None, [TENANT], 5, object(), Label("", "relevance"), Hostile()]


@pytest.mark.parametrize("given", GARBAGE, ids=lambda given: type(given).__name__)
@pytest.mark.parametrize("state", [lambda it: it, relevance, entitlement], ids=["bare", "relevance", "entitlement"])
def test_what_is_no_predicate_is_an_opaque_part_that_no_probe_drops(given: Any, state: Any) -> None:
    said = where(TENANT, state(given))
    assert said.predicate == And((TENANT, Opaque("neutral", f"<{type(given).__name__}>")))
    assert (said.state, said.relaxed()) == ("partial", said)


def test_a_filter_inside_another_keeps_its_roles() -> None:
    inner: Any = where(entitlement(TENANT), relevance(KIND, origin="llm"))
    assert where(TOPIC, inner) == Filter(
        And((TOPIC, TENANT, KIND)), (Label("/args/1", "entitlement"), Label("/args/2", "relevance", "llm"))
    )
    assert where(relevance(inner)).relaxed() == where(entitlement(TENANT))
    assert where(entitlement(inner)).relevance_conjuncts() == ()
    bare: Any = where(TENANT)
    assert where(relevance(bare)).relevance_conjuncts() == ()
    assert where(where(relevance(KIND))).relevance_conjuncts() == ("/args/0",)


def test_labels_of_a_filter_with_more_than_ten_clauses_stay_at_theirs() -> None:
    clauses = [relevance(KIND) if number % 2 else entitlement(TENANT) for number in range(40)]
    assert where(where(*clauses)) == where(*clauses)
    assert [label.path for label in where(*clauses).labels] == [f"/args/{number}" for number in range(40)]


def test_a_filter_without_clauses_restricts_nothing_wherever_it_stands() -> None:
    nothing: Any = where()
    assert where(nothing, relevance(nothing), entitlement(nothing)) == where()


def test_a_filter_that_could_not_be_read_is_an_opaque_part() -> None:
    said = where(relevance(KIND), Filter(None, raw="<Thing>"))
    assert said.predicate == And((KIND, Opaque("neutral", "<Filter>")))
    assert said.relevance_conjuncts() == ("/args/0",)


CONNECTIVES: dict[str, Callable[[Any], Any]] = {
    "and": lambda inner: And((inner, KIND)),
    "or": lambda inner: Or((inner, KIND)),
    "not": Not,
    "a list": lambda inner: And([inner]),  # type: ignore[arg-type]  # on purpose
}


@pytest.mark.parametrize("connective", CONNECTIVES.values(), ids=CONNECTIVES)
@pytest.mark.parametrize("inner", [where(entitlement(TENANT)), entitlement(TENANT)], ids=["filter", "clause"])
def test_below_a_connective_all_is_entitlement(connective: Any, inner: Any) -> None:
    said = where(relevance(connective(inner)))
    assert "tenant" in said.protected_fields()
    assert said.relaxed() == said
    assert read_filter(connective(inner), relevance=["tenant", "kind"]).relevance_conjuncts() == ()


def test_predicates_are_not_copied() -> None:
    grouped = Or((TENANT, Not(And((KIND, opaque("es", "geo"))))))
    (kept,) = where(relevance(grouped)).predicate.args  # type: ignore[union-attr]  # it is an `and`
    assert kept is grouped


def test_what_is_nested_too_deeply_to_be_looked_at_is_opaque() -> None:
    deep: Any = where(entitlement(TENANT))
    for _ in range(100_000):
        deep = Not(deep)
    assert where(relevance(deep)).predicate == And((Opaque("neutral", "<Clause>"),))


@pytest.mark.parametrize("given", GARBAGE[:-1], ids=lambda given: type(given).__name__)
def test_a_filter_made_by_hand_of_anything_is_not_known_either(given: Any) -> None:
    said = Filter(And((TENANT, Not(given))), (Label("", "relevance"),))
    assert (said.state, said.opaque_count, said.relevance_conjuncts()) == ("partial", 1, ("/args/0",))
    assert to_json(said.without(["/args/0"]).predicate)["args"] == [  # type: ignore[arg-type]  # it was read
        {"op": "not", "arg": {"op": "opaque", "dialect": "neutral", "raw": f"<{type(given).__name__}>"}}
    ]


def below(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, max_size=3)
    return st.one_of(
        st.builds(entitlement, inner),
        st.builds(relevance, inner),
        several.map(lambda listed: where(*listed)),
        several.map(lambda listed: And(tuple(listed))),
        several.map(lambda listed: Or(tuple(listed))),
        st.builds(Not, inner),
    )


OPEN = st.sampled_from(["kind", "topic"]).map(lambda field: eq(field, "a"))
NESTED = st.recursive(
    st.one_of(OPEN, st.integers(0, 10**6).map(lambda number: entitlement(eq("tenant", number))), st.just({"a": 1})),
    below,
    max_leaves=12,
)


def tenants(given: Any) -> list[object]:
    """The values of all entitlement clauses, at whatever depth they were stated."""
    if isinstance(given, Clause):
        own = given.predicate
        return [own.value] if isinstance(own, Leaf) and own.field == "tenant" else tenants(own)
    if isinstance(given, Filter):
        return [node.value for _, node in walk(given.predicate) if isinstance(node, Leaf) and node.field == "tenant"]  # type: ignore[arg-type]
    if isinstance(given, And | Or):
        return [value for arg in given.args for value in tenants(arg)]
    return tenants(given.arg) if isinstance(given, Not) else []


@given(st.lists(NESTED, max_size=4))
@example([relevance(where(entitlement(TENANT)))])  # type: ignore[arg-type]  # on purpose
def test_however_clauses_are_nested_no_entitlement_is_ever_relaxed(clauses: list[Any]) -> None:
    stated = [value for clause in clauses for value in tenants(clause)]
    said = read_filter(where(*clauses), relevance=["kind", "topic"])
    assert sorted(map(str, tenants(said.relaxed()))) == sorted(map(str, stated))
    assert {"tenant"} & said.protected_fields() == ({"tenant"} if stated else set())


def test_a_probe_asks_with_the_clauses_of_a_filter_inside_a_clause() -> None:
    asked: list[Any] = []

    @ragvigil.retriever(filter="where", query="q", top_k="k")
    def search(q: str, where: Any = None, k: int = 3) -> list[tuple[str, float]]:
        asked.append(where)
        return [("a", 1.0)]

    with recording(probe_share=1.0):
        nested: Any = where(entitlement(TENANT), relevance(KIND))
        with ragvigil.pipeline("ask"):
            search("q", where=where(relevance(nested)))
        ragvigil.flush()
    assert [said.protected_fields() for said in asked] == [{"tenant"}, {"tenant"}]
    assert asked[1] == where(entitlement(TENANT))
