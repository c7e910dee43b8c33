"""Qdrant's filters: the neutral form lets through exactly what the client's own engine lets through."""

import random
from collections.abc import Iterator
from typing import Any

import pytest
from qdrant_client import QdrantClient, models
from tests.samples.qdrant_filters import (
    DAY,
    ON_KIND,
    ON_TENANT,
    Condition,
    Payload,
    flat,
    random_filter,
    random_payload,
)

from ragvigil import Filter
from ragvigil.dialects import Unreadable, read_filter, relaxed_native
from ragvigil.predicates import And, Not, Or, eq, exists, gt, gte, in_, is_null, lte, nin, prefix


@pytest.fixture(scope="module")
def client() -> Iterator[QdrantClient]:
    made = QdrantClient(":memory:")
    yield made
    made.close()


def stored(client: QdrantClient, name: str, payloads: list[Payload]) -> None:
    if client.collection_exists(name):
        client.delete_collection(name)
    client.create_collection(name, vectors_config=models.VectorParams(size=2, distance=models.Distance.COSINE))
    points = [models.PointStruct(id=i, vector=[1.0, 0.5], payload=payload) for i, payload in enumerate(payloads)]
    client.upsert(name, points)


def found(client: QdrantClient, name: str, native: models.Filter) -> set[object]:
    return {point.id for point in client.query_points(name, [1.0, 0.0], query_filter=native, limit=1000).points}


def test_the_neutral_form_finds_what_qdrant_finds(client: QdrantClient) -> None:
    chance = random.Random(20261130)
    payloads = [random_payload(chance) for _ in range(120)]
    stored(client, "random", payloads)
    documents = [flat(payload) for payload in payloads]
    judged = unknown = passed = 0
    for _ in range(250):
        native = random_filter(chance, 2)
        said, ids = read_filter(native), found(client, "random", native)
        assert said.dialect == "qdrant"
        for number, document in enumerate(documents):
            verdict = said.matches(document)
            assert verdict is None or verdict == (number in ids), (native, document)
            unknown += verdict is None
            judged += verdict is not None
            passed += verdict is True
    assert judged > 25_000
    assert 250 < unknown < judged / 10
    assert judged / 10 < passed < judged * 9 / 10


def test_it_differs_only_where_qdrant_knows_more_kinds_of_values(client: QdrantClient) -> None:
    """A float never equals an integer; both bounds hold for one element; an array with a null is not empty."""
    payloads: list[Payload] = [{"n": 5.0}, {"n": [1, 9]}, {"n": [None]}]
    stored(client, "limits", payloads)

    def compared(**test: Any) -> list[tuple[bool, bool | None]]:
        native = models.Filter(must=[models.FieldCondition(key="n", **test)])
        ids, said = found(client, "limits", native), read_filter(native)
        return [(number in ids, said.matches(payload)) for number, payload in enumerate(payloads)]

    assert compared(match=models.MatchValue(value=5)) == [(False, True), (False, False), (False, False)]
    assert compared(range=models.Range(gt=3, lt=6)) == [(True, True), (False, True), (False, False)]
    assert compared(is_null=True) == [(False, False), (False, False), (True, False)]
    assert compared(is_empty=True) == [(False, False), (False, False), (False, True)]


def must(*conditions: Condition) -> models.Filter:
    return models.Filter(must=list(conditions))


def field(**test: Any) -> models.FieldCondition:
    return models.FieldCondition(key="kind", **test)


@pytest.mark.parametrize(
    ("native", "said"),
    [
        (must(ON_KIND), eq("kind", "a")),
        (must(field(match=models.MatchAny(any=[1, 2]))), in_("kind", [1, 2])),
        (must(field(match=models.MatchExcept(**{"except": ["a"]}))), nin("kind", ["a"])),
        (must(field(match=models.MatchPrefix(prefix="a"))), prefix("kind", "a")),
        (must(field(range=models.Range(gte=1, lte=3))), And((gte("kind", 1), lte("kind", 3)))),
        (must(field(range=models.DatetimeRange(gt=DAY))), gt("kind", DAY)),
        (must(field(is_empty=True)), Not(exists("kind"))),
        (must(field(is_null=False)), Not(is_null("kind"))),
        (models.Filter(must_not=[ON_KIND]), Not(eq("kind", "a"))),
        (models.Filter(must_not=ON_KIND), Not(eq("kind", "a"))),
        (models.Filter(should=[ON_KIND]), Or((eq("kind", "a"),))),
        (must(models.Filter(must=[ON_KIND])), And((eq("kind", "a"),))),
    ],
)
def test_conditions_have_one_form(native: models.Filter, said: object) -> None:
    read = read_filter(native)
    assert read.predicate == And((said,))  # type: ignore[arg-type]  # the table holds predicates
    assert read.state == "known"


def test_an_empty_filter_restricts_nothing() -> None:
    assert read_filter(models.Filter()).state == "none"
    assert read_filter(models.Filter(must=[], should=[])).state == "none"


def test_what_has_no_neutral_form_is_opaque_and_shows_no_value() -> None:
    hidden = models.FieldCondition(key="tenant", match=models.MatchText(text="secret"))
    several = models.FieldCondition(key="tenant", match=models.MatchValue(value="secret"), is_null=False)
    counted = models.MinShould(conditions=[ON_KIND, ON_TENANT, hidden], min_count=2)
    read = read_filter(models.Filter(must=[hidden, several], min_should=counted))
    assert read.state == "partial"
    assert read.opaque_count == 3
    assert "secret" not in repr(read)


class Filter2(models.Filter):
    """A filter of somebody's own, which may mean anything."""


@pytest.mark.parametrize("native", [Filter2(must=[ON_KIND]), ON_KIND, models.SearchParams()])
def test_another_type_is_unknown(native: object) -> None:
    read = read_filter(native, "qdrant")
    assert read == Filter(None, dialect="qdrant", raw=f"<{type(native).__name__}>")
    with pytest.raises(Unreadable):
        relaxed_native(native, read, "qdrant")


def test_an_object_of_the_library_is_no_list_of_values() -> None:
    wanted: Any = eq("lang", "de")
    said = read_filter(must(field(match=models.MatchAny.model_construct(any=wanted))))
    assert (said.state, said.opaque_count) == ("partial", 1)
    assert "de" not in repr(said)


def test_relevance_is_left_out_of_a_copy() -> None:
    native = models.Filter(must=[ON_TENANT, ON_KIND], should=[ON_KIND], must_not=[ON_TENANT, ON_KIND])
    before = native.model_copy(deep=True)
    said = read_filter(native, relevance=("kind",))
    left = relaxed_native(native, said, relevance=("kind",))
    assert left == models.Filter(must=[ON_TENANT], must_not=[ON_TENANT])
    assert native == before


def test_alternatives_that_hold_entitlement_stay_whole() -> None:
    native = models.Filter(should=[ON_TENANT, ON_KIND], must=ON_KIND)
    said = read_filter(native, relevance=("kind",))
    assert relaxed_native(native, said, relevance=("kind",)) == models.Filter(should=[ON_TENANT, ON_KIND])


def test_a_copy_does_not_follow_later_changes() -> None:
    allowed = models.MatchAny(any=["a"])
    native = models.Filter(must=[models.FieldCondition(key="tenant", match=allowed), ON_KIND])
    left: Any = relaxed_native(native, read_filter(native, relevance=("kind",)), relevance=("kind",))
    allowed.any.append("everyone")  # type: ignore[arg-type]  # a list of text
    assert left.must[0].match.any == ["a"]


def test_no_clause_of_entitlement_is_lost_in_random_filters() -> None:
    chance = random.Random(7)
    relaxed = 0
    for _ in range(1500):
        native = random_filter(chance, 2)
        said = read_filter(native, relevance=("kind", "deep.lang"))
        left: Any = relaxed_native(native, said, relevance=("kind", "deep.lang"))
        kept = {"tenant", "absent"} & {leaf_key(each) for each in conditions_below(native)}
        assert kept <= {leaf_key(each) for each in conditions_below(left)}
        assert opaque_in(native) == opaque_in(left)
        relaxed += left != native
    assert relaxed > 250


def conditions_below(native: Any) -> Iterator[Any]:
    """Every condition of a filter, by the client's own fields."""
    counted = native.min_should.conditions if native.min_should else None
    for clause in (native.must, native.should, native.must_not, counted):
        for condition in clause if isinstance(clause, list) else [] if clause is None else [clause]:
            yield condition
            if isinstance(condition, models.Filter):
                yield from conditions_below(condition)


def leaf_key(condition: Any) -> str | None:
    holder = getattr(condition, "is_empty", None) or getattr(condition, "is_null", None) or condition
    return getattr(condition, "key", None) or getattr(holder, "key", None)


def opaque_in(native: Any) -> int:
    kinds = (models.HasIdCondition, models.NestedCondition)
    return sum(isinstance(condition, kinds) for condition in conditions_below(native))
