"""Chroma's `where`: the neutral form lets through exactly what an embedded Chroma lets through."""

import random
from typing import Any

import chromadb
import pytest
from chromadb.config import Settings

from ragvigil import Filter
from ragvigil.dialects import read_filter, relaxed_native
from ragvigil.predicates import And, Not, Or, eq, gt, in_

Where = dict[str, Any]

SCALARS: list[Any] = ["a", "b", "5", "", 0, 1, 5, -3, 5.0, True, False]
NUMBERS: list[Any] = [-3, 0, 1, 5, 5.0]
FRACTIONS: list[Any] = [-0.5, 1.5, 4.5, 5.0]
ARRAYS: list[list[Any]] = [["a", "b"], ["a"], ["5"], [5, 6], [1, 5], [1.5], [True]]


def random_metadata(chance: random.Random) -> dict[str, Any]:
    """Metadata with missing keys and scalars of every kind; what Chroma keeps apart has a field of its own."""
    made = {name: chance.choice(SCALARS) for name in ("tenant", "kind") if chance.random() < 0.85}
    made |= {"price": chance.choice(FRACTIONS)} if chance.random() < 0.8 else {}
    return {"n": 1, **made, **({"tags": chance.choice(ARRAYS)} if chance.random() < 0.7 else {})}


def random_leaf(chance: random.Random) -> Where:
    if chance.random() < 0.2:
        return {"tags": {chance.choice(["$contains", "$not_contains"]): chance.choice(["a", "5", 5, 1, True])}}
    if chance.random() < 0.2:
        operator = chance.choice(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"])
        return {"price": {operator: chance.choice(FRACTIONS)}}
    field, shape = chance.choice(["tenant", "kind", "absent"]), chance.randrange(4)
    if shape == 0:
        return {field: chance.choice(SCALARS)}
    if shape == 1:
        return {field: {chance.choice(["$eq", "$ne"]): chance.choice(SCALARS)}}
    if shape == 2:
        return {field: {chance.choice(["$gt", "$gte", "$lt", "$lte"]): chance.choice(NUMBERS)}}
    listed: list[Any] = chance.choice([["a", "b", ""], ["5"], [1, 5], [5.0], [True], [False, True]])
    return {field: {chance.choice(["$in", "$nin"]): chance.sample(listed, chance.randrange(1, len(listed) + 1))}}


def random_where(chance: random.Random, depth: int) -> Where:
    if depth == 0 or chance.random() < 0.4:
        return random_leaf(chance)
    parts = [random_where(chance, depth - 1) for _ in range(chance.randrange(2, 4))]
    return {chance.choice(["$and", "$or"]): parts}


@pytest.fixture(scope="module")
def client() -> Any:
    return chromadb.EphemeralClient(Settings(anonymized_telemetry=False))


def stored(client: Any, name: str, metadata: list[dict[str, Any]]) -> Any:
    collection = client.get_or_create_collection(name, embedding_function=None)
    ids = [str(number) for number in range(len(metadata))]
    collection.add(ids=ids, embeddings=[[1.0, 0.5]] * len(ids), metadatas=metadata)
    return collection


def found(collection: Any, where: Where) -> set[str]:
    return set(collection.query(query_embeddings=[[1.0, 0.0]], n_results=1000, where=where, include=[])["ids"][0])


def test_the_neutral_form_finds_what_chroma_finds(client: Any) -> None:
    chance = random.Random(20261130)
    metadata = [random_metadata(chance) for _ in range(120)]
    collection = stored(client, "random", metadata)
    judged = passed = 0
    for _ in range(400):
        where = random_where(chance, 2)
        said, ids = read_filter(where, "chroma"), found(collection, where)
        assert (said.dialect, said.state) == ("chroma", "known")
        for number, document in enumerate(metadata):
            verdict = said.matches(document)
            assert verdict == (str(number) in ids), (where, document)
            judged, passed = judged + 1, passed + bool(verdict)
    assert judged / 10 < passed < judged * 9 / 10


def test_it_differs_where_chroma_cuts_a_fraction_before_it_compares_integers(client: Any) -> None:
    metadata: list[Where] = [{"n": 1}, {"n": 1.5}]
    collection = stored(client, "fractions", metadata)
    assert found(collection, {"n": 1.5}) == {"0", "1"}
    assert [read_filter({"n": 1.5}, "chroma").matches(each) for each in metadata] == [False, True]


def test_it_differs_where_a_field_holds_arrays_and_scalars(client: Any) -> None:
    """Chroma asks arrays by `$contains` alone, and by nothing else."""
    metadata: list[Where] = [{"n": 5}, {"n": [5, 6]}]
    collection = stored(client, "limits", metadata)
    asked: list[tuple[Where, set[str]]] = [({"n": 5}, {"0"}), ({"n": {"$contains": 5}}, {"1"})]
    for where, ids in asked:
        assert found(collection, where) == ids
        assert [read_filter(where, "chroma").matches(each) for each in metadata] == [True, True]


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ({"a": 1}, And((eq("a", 1),))),
        ({"a": {"$ne": 1}}, And((Not(eq("a", 1)),))),
        ({"$and": [{"a": 1}, {"b": {"$gt": 2}}]}, And((eq("a", 1), gt("b", 2)))),
        ({"$or": [{"a": 1}, {"b": 2}]}, And((Or((eq("a", 1), eq("b", 2))),))),
        ({"a": {"$nin": ["x"]}}, And((Not(in_("a", ["x"])),))),
    ],
)
def test_conditions_have_one_form(where: Where, said: object) -> None:
    assert read_filter(where, "chroma").predicate == said


def test_a_condition_on_the_text_is_opaque() -> None:
    said = read_filter({"$and": [{"a": 1}, {"#document": {"$contains": "secret"}}]}, "chroma")
    assert (said.state, said.opaque_count) == ("partial", 1)
    assert "secret" not in repr(said)


@pytest.mark.parametrize(
    "where",
    [
        {},
        {"a": 1, "b": 2},
        {"a": {"$gt": 1, "$lt": 3}},
        {"a": {"$regex": "x"}},
        {"a": ["secret"]},
        {"a": None},
        {"a": {"$ne": {"x": "secret"}}},
        {"$and": {"a": 1}},
        {"$not": {"a": 1}},
        {"$contains": "secret"},
        {5: "secret"},
        ["secret"],
        "secret",
    ],
    ids=repr,
)
def test_what_chroma_refuses_is_unknown(where: object) -> None:
    said = read_filter(where, "chroma")
    assert said.state == "unknown"
    assert "secret" not in str(said.raw)


@pytest.mark.parametrize(
    ("where", "left"),
    [
        ({"$and": [{"tenant": "x"}, {"kind": "a"}]}, {"tenant": "x"}),
        ({"$and": [{"tenant": "x"}, {"kind": "a"}, {"age": 3}]}, {"$and": [{"tenant": "x"}, {"age": 3}]}),
        ({"kind": {"$in": ["a"]}}, None),
        ({"$or": [{"tenant": "x"}, {"kind": "a"}]}, {"$or": [{"tenant": "x"}, {"kind": "a"}]}),
    ],
)
def test_relevance_is_left_out(where: Where, left: Where | None) -> None:
    said = read_filter(where, "chroma", relevance=("kind",))
    assert relaxed_native(where, said, "chroma", ("kind",)) == left


def test_a_copy_does_not_follow_later_changes() -> None:
    where: Where = {"$and": [{"tenant": {"$in": ["x"]}}, {"kind": "a"}]}
    left: Any = relaxed_native(where, read_filter(where, "chroma", ("kind",)), "chroma", ("kind",))
    where["$and"][0]["tenant"]["$in"].append("everyone")
    assert left == {"tenant": {"$in": ["x"]}}


def test_what_is_left_finds_everything_that_entitlement_allows(client: Any) -> None:
    """In random filters: a probe finds at least what was found, and nothing that entitlement forbids."""
    chance = random.Random(11)
    metadata = [random_metadata(chance) for _ in range(60)]
    collection = stored(client, "relaxed", metadata)
    relaxed = 0
    for _ in range(200):
        allowed = random_leaf(chance)
        where = {"$and": [{"tenant": {"$ne": "b"}}, allowed, {"kind": chance.choice(SCALARS)}]}
        left: Any = relaxed_native(where, read_filter(where, "chroma", ("kind",)), "chroma", ("kind",))
        ids = found(collection, left)
        assert found(collection, where) <= ids
        assert not any(metadata[int(number)].get("tenant") == "b" for number in ids)
        relaxed += "kind" not in allowed and left == {"$and": [{"tenant": {"$ne": "b"}}, allowed]}
    assert relaxed > 50


def test_a_dictionary_is_chromas_only_where_that_is_said() -> None:
    assert read_filter({"a": 1}).dialect == "mapping"
    assert read_filter({"a": 1}, "chroma") == Filter(And((eq("a", 1),)), dialect="chroma")
