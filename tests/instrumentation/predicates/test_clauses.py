"""Clauses and their roles: what may be relaxed, and that entitlement never is."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil import entitlement, relevance, where
from ragvigil.predicates import (
    And,
    Clause,
    Filter,
    Label,
    Leaf,
    Not,
    Opaque,
    Or,
    Predicate,
    and_,
    eq,
    evaluate,
    gt,
    not_,
    opaque,
    or_,
)
from ragvigil.predicates.ast import walk

TENANT = eq("tenant", "acme")
KIND = eq("kind", "function")
TOPIC = eq("topic", "io")


def test_a_filter_is_the_and_of_its_clauses() -> None:
    said = where(entitlement(TENANT), relevance(KIND, origin="rule"))
    assert said.predicate == And((TENANT, KIND))
    assert said.labels == (Label("/args/0", "entitlement"), Label("/args/1", "relevance", "rule"))
    assert said.matches({"tenant": "acme", "kind": "function"}) is True
    assert said.matches({"tenant": "acme"}) is False


@pytest.mark.parametrize(
    ("said", "state"),
    [
        (where(), "none"),
        (where(relevance(KIND)), "known"),
        (where(relevance(KIND), relevance(opaque("es", "geo"))), "partial"),
        (where(or_()), "known"),
        (Filter(None, raw="<Thing>"), "unknown"),
    ],
    ids=["no clause", "known", "partly opaque", "nothing passes", "unreadable"],
)
def test_states(said: Filter, state: str) -> None:
    assert said.state == state


def test_an_unknown_filter_matches_unknown() -> None:
    assert Filter(None).matches({"tenant": "acme"}) is None
    assert Filter(None).relaxed() == Filter(None)


@pytest.mark.parametrize(
    ("said", "left"),
    [
        pytest.param(where(entitlement(TENANT), relevance(KIND)), And((TENANT,)), id="relevance goes"),
        pytest.param(where(relevance(KIND), entitlement(TENANT)), And((TENANT,)), id="in any order"),
        pytest.param(where(relevance(KIND), relevance(TOPIC)), And(()), id="all of it, if all is relevance"),
        pytest.param(where(TENANT, relevance(KIND)), And((TENANT,)), id="no role counts as entitlement"),
        pytest.param(
            where(relevance(and_(KIND, TOPIC)), entitlement(TENANT)), And((TENANT,)), id="a conjunct goes whole"
        ),
        pytest.param(where(relevance(or_(KIND, TOPIC))), And(()), id="an or of relevance goes"),
        pytest.param(where(relevance(not_(KIND))), And(()), id="a not of relevance goes"),
        pytest.param(where(entitlement(or_())), And((Or(()),)), id="a wall stays a wall"),
        pytest.param(where(relevance(or_())), And(()), id="even a wall of relevance goes"),
        pytest.param(where(relevance(opaque("es", "geo"))), And(()), id="opaque relevance goes"),
        pytest.param(where(opaque("es", "acl")), And((Opaque("es", "acl"),)), id="opaque without a role stays"),
        pytest.param(Filter(KIND, (Label("", "relevance"),)), And(()), id="a root of relevance goes"),
        pytest.param(Filter(KIND), KIND, id="a root without a role stays"),
        pytest.param(
            Filter(Or((KIND, TENANT)), (Label("/args/0", "relevance"),)), Or((KIND, TENANT)), id="beside entitlement"
        ),
        pytest.param(
            Filter(And((Or((KIND, TENANT)), TOPIC)), (Label("/args/0/args/0", "relevance"),)),
            And((Or((KIND, TENANT)), TOPIC)),
            id="under an or beside entitlement it stays",
        ),
        pytest.param(
            Filter(And((KIND, TENANT)), (Label("", "entitlement"), Label("/args/0", "relevance"))),
            And((KIND, TENANT)),
            id="entitlement above wins",
        ),
        pytest.param(
            Filter(
                And((And((KIND, TENANT)),)), (Label("/args/0", "relevance"), Label("/args/0/args/1", "entitlement"))
            ),
            And((And((KIND, TENANT)),)),
            id="entitlement below keeps the whole conjunct",
        ),
    ],
)
def test_relaxed(said: Filter, left: Predicate) -> None:
    assert said.relaxed().predicate == left


def test_labels_move_with_their_clauses() -> None:
    said = where(relevance(KIND), entitlement(TENANT), relevance(TOPIC), entitlement(eq("team", "x"), origin="llm"))
    relaxed = said.relaxed()
    assert relaxed.labels == (Label("/args/0", "entitlement"), Label("/args/1", "entitlement", "llm"))
    assert relaxed.relaxed() == relaxed


def test_a_path_is_not_mistaken_for_the_start_of_another() -> None:
    clauses = [entitlement(eq("f", number)) for number in range(12)]
    clauses[1] = relevance(KIND)
    said = where(*clauses)
    assert said.role_at("/args/1") == "relevance"
    assert said.role_at("/args/10") == "entitlement"
    assert said.relaxed().predicate == And(tuple(clause.predicate for clause in clauses if clause.role != "relevance"))


def test_a_field_is_protected_wherever_it_stands() -> None:
    said = where(entitlement(TENANT), relevance(or_(eq("tenant", "beta"), KIND)), gt("level", 3))
    assert said.protected_fields() == {"tenant", "level"}


FIELDS = st.sampled_from(["tenant", "kind", "topic"])
LEAVES = st.one_of(
    st.builds(Leaf, st.just("eq"), FIELDS, st.sampled_from(["a", "b"]), st.just(False)),
    st.just(Opaque("x", "?")),
    st.just(Or(())),
)
PREDICATES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(And, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Or, st.lists(inner, max_size=3).map(tuple)),
        st.builds(Not, inner),
    ),
    max_leaves=8,
)
CLAUSES = st.one_of(
    st.builds(Clause, PREDICATES, st.sampled_from(["entitlement", "relevance"]), st.just("caller"), st.none()),
    PREDICATES,
)
DOCUMENTS = st.dictionaries(FIELDS, st.sampled_from(["a", "b"]))


@settings(max_examples=500, deadline=None)
@given(st.lists(CLAUSES, max_size=4), DOCUMENTS)
def test_relaxing_never_weakens_a_clause_of_entitlement(clauses: list[Any], document: dict[str, str]) -> None:
    kept = where(*[clause for clause in clauses if not (isinstance(clause, Clause) and clause.role == "relevance")])
    assert where(*clauses).relaxed().predicate == kept.predicate
    assert where(*clauses).relaxed().matches(document) is kept.matches(document)


@st.composite
def labelled(draw: st.DrawFn) -> Filter:
    predicate = draw(PREDICATES)
    paths = [path for path, _ in walk(predicate)]
    labels = draw(st.lists(st.builds(Label, st.sampled_from(paths), st.sampled_from(["entitlement", "relevance"]))))
    return Filter(predicate, tuple(labels))


@settings(max_examples=500, deadline=None)
@given(labelled(), DOCUMENTS)
def test_whatever_passed_passes_the_relaxed_filter(said: Filter, document: dict[str, str]) -> None:
    assert said.predicate is not None
    if evaluate(said.predicate, document) is True:
        assert said.relaxed().matches(document) is not False


@settings(max_examples=500, deadline=None)
@given(labelled(), DOCUMENTS)
def test_a_filter_is_its_relaxed_form_and_its_relevance_part(said: Filter, document: dict[str, str]) -> None:
    relaxed = said.relaxed().predicate
    assert relaxed is not None
    assert evaluate(And((relaxed, said.relevance_part())), document) is said.matches(document)
    assert bool(said.relevance_conjuncts()) is (said.relevance_part() != And(()))


def test_a_filter_that_cannot_be_read_has_no_relevance_part() -> None:
    assert Filter(None).relevance_part() == And(())


@settings(max_examples=500, deadline=None)
@given(labelled())
def test_relaxing_keeps_every_leaf_that_nobody_called_relevance(said: Filter) -> None:
    assert said.predicate is not None
    relaxed = said.relaxed()
    assert relaxed.predicate is not None
    kept = [node for _, node in walk(relaxed.predicate)]
    for path, node in walk(said.predicate):
        if isinstance(node, Leaf | Opaque) and said.role_at(path) == "entitlement":
            assert node in kept


@settings(max_examples=300, deadline=None)
@given(labelled())
def test_roles_stay_what_they_were(said: Filter) -> None:
    relaxed = said.relaxed()
    assert relaxed.relaxed() == relaxed
    assert relaxed.protected_fields() == said.protected_fields()


def test_a_field_is_undeclared_where_no_label_covers_its_leaf() -> None:
    said = where(entitlement(TENANT), or_(KIND, TOPIC), not_(relevance(KIND).predicate), opaque("es", "{}"))
    assert said.undeclared_fields() == {"kind", "topic"}
    half = Filter(or_(KIND, TOPIC), (Label("/args/0", "relevance"),))
    assert half.undeclared_fields() == {"topic"}
    assert Filter(half.predicate, (Label("", "entitlement"),)).undeclared_fields() == frozenset()
    assert Filter(None).undeclared_fields() == where().undeclared_fields() == frozenset()
