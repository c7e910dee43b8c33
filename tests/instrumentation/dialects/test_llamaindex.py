"""LlamaIndex's filters: the neutral form lets through exactly what its SimpleVectorStore lets through."""

import random
from typing import Any

import pytest
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores import SimpleVectorStore, VectorStoreQuery
from llama_index.core.vector_stores.types import FilterCondition, FilterOperator, MetadataFilter, MetadataFilters

from ragvigil import Filter
from ragvigil.dialects import Unreadable, read_filter, relaxed_native
from ragvigil.predicates import And, Label, Not, Or, all_, eq, exists, in_

SCALARS: list[Any] = ["a", "b", "ab", "", "5", 5, -3, 1.5, 5.0, 4.5]
NUMBERS = [-3, 1.5, 5, 5.0]
LISTS: list[Any] = [["a", "b"], ["a"], ["5", "ab"], [5, 6]]
OF_SCALARS = [FilterOperator.EQ, FilterOperator.NE]
OF_NUMBERS = [FilterOperator.GT, FilterOperator.GTE, FilterOperator.LT, FilterOperator.LTE]
OF_LISTS = [FilterOperator.IN, FilterOperator.NIN]
OF_ARRAYS = [FilterOperator.ANY, FilterOperator.ALL]


def random_metadata(chance: random.Random) -> dict[str, Any]:
    """Metadata with missing keys and nulls; text, numbers and arrays, each in fields of its own."""
    made: dict[str, Any] = {name: chance.choice([*SCALARS, None]) for name in ("tenant", "kind")}
    made |= {"age": chance.choice([*NUMBERS, None]), "tags": chance.choice([*LISTS, [], None])}
    return {name: value for name, value in made.items() if chance.random() < 0.85}


def random_leaf(chance: random.Random) -> MetadataFilter:
    shape, field = chance.randrange(6), chance.choice(["tenant", "kind", "absent"])
    if shape == 0:
        return MetadataFilter(key=field, operator=chance.choice(OF_SCALARS), value=chance.choice([*SCALARS, None]))
    if shape == 1:
        return MetadataFilter(key="age", operator=chance.choice(OF_NUMBERS), value=chance.choice(NUMBERS))
    if shape == 2:
        return MetadataFilter(key=field, operator=chance.choice(OF_LISTS), value=chance.choice([*LISTS, []]))
    if shape == 3:
        return MetadataFilter(key="tags", operator=chance.choice(OF_ARRAYS), value=chance.choice(LISTS))
    if shape == 4:
        return MetadataFilter(key="tags", operator=FilterOperator.CONTAINS, value=chance.choice(["a", "5", 5]))
    return MetadataFilter(key=chance.choice([field, "tags"]), operator=FilterOperator.IS_EMPTY, value=None)


def random_filters(chance: random.Random) -> MetadataFilters:
    condition = chance.choice([*FilterCondition, None])
    return MetadataFilters(filters=[random_leaf(chance) for _ in range(chance.randrange(5))], condition=condition)


def stored(metadata: list[dict[str, Any]]) -> SimpleVectorStore:
    store = SimpleVectorStore()
    nodes = [TextNode(id_=str(i), embedding=[1.0, 0.5], metadata=each) for i, each in enumerate(metadata)]
    store.add(nodes)
    return store


def found(store: SimpleVectorStore, native: MetadataFilters) -> set[str]:
    result = store.query(VectorStoreQuery(query_embedding=[1.0, 0.0], similarity_top_k=1000, filters=native))
    return set(result.ids or [])


def test_the_neutral_form_finds_what_the_simple_store_finds() -> None:
    chance = random.Random(20261130)
    metadata = [random_metadata(chance) for _ in range(120)]
    store = stored(metadata)
    judged = passed = 0
    for _ in range(600):
        native = random_filters(chance)
        said, ids = read_filter(native), found(store, native)
        assert said.dialect == "llamaindex"
        assert said.state in {"known", "none"}
        for number, document in enumerate(metadata):
            verdict = said.matches(document)
            assert verdict == (str(number) in ids), (native, document)
            judged, passed = judged + 1, passed + bool(verdict)
    assert judged / 10 < passed < judged * 9 / 10


def test_it_differs_only_where_python_itself_mixes_kinds() -> None:
    metadata: list[dict[str, Any]] = [{"n": True}, {"n": "aa"}, {"n": ["a"]}]
    store = stored(metadata)

    def compared(operator: FilterOperator, value: Any) -> list[tuple[bool, bool | None]]:
        native = MetadataFilters(filters=[MetadataFilter(key="n", operator=operator, value=value)])
        said, ids = read_filter(native), found(store, native)
        return [(str(number) in ids, said.matches(each)) for number, each in enumerate(metadata)]

    assert compared(FilterOperator.EQ, 1)[0] == (True, False)
    assert compared(FilterOperator.EQ, "a")[2] == (False, True)
    store.delete_nodes(node_ids=["0"])
    assert compared(FilterOperator.CONTAINS, "a")[1] == (True, False)


def one(operator: str, value: Any, key: str = "kind") -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key=key, operator=FilterOperator(operator), value=value)])


@pytest.mark.parametrize(
    ("native", "said"),
    [
        (one("==", "a"), eq("kind", "a")),
        (one("!=", "a"), Not(eq("kind", "a"))),
        (one("nin", ["a"]), Not(in_("kind", ["a"]))),
        (one("all", ["a"]), all_("kind", ["a"])),
        (one("is_empty", None), Or((Not(exists("kind")), eq("kind", "")))),
    ],
)
def test_filters_have_one_form(native: MetadataFilters, said: object) -> None:
    assert read_filter(native).predicate == And((said,))  # type: ignore[arg-type]  # the table holds predicates


def test_filters_inside_filters_are_composed() -> None:
    """The simple store refuses them, other stores take them."""
    inner = MetadataFilters(filters=[*one("==", "a").filters, *one("==", 5).filters], condition=FilterCondition.OR)
    native = MetadataFilters(filters=[inner, *one("==", "x", "tenant").filters], condition=FilterCondition.NOT)
    either = Or((eq("kind", "a"), eq("kind", 5)))
    assert read_filter(native).predicate == And((Not(Or((either, eq("tenant", "x")))),))


@pytest.mark.parametrize(
    "native",
    [one("text_match", "secret"), one("text_match_insensitive", "secret"), one("==", ["secret"]), one("in", "secret")],
)
def test_what_has_no_neutral_form_is_opaque_and_shows_no_value(native: MetadataFilters) -> None:
    said = read_filter(native)
    assert (said.state, said.opaque_count) == ("partial", 1)
    assert "secret" not in repr(said)


@pytest.mark.parametrize("native", [one("==", "a").filters[0], VectorStoreQuery()])
def test_another_type_is_unknown(native: object) -> None:
    said = read_filter(native, "llamaindex")
    assert said == Filter(None, dialect="llamaindex", raw=f"<{type(native).__name__}>")
    with pytest.raises(Unreadable):
        relaxed_native(native, said, "llamaindex")


def test_relevance_is_left_out_of_a_copy() -> None:
    native = MetadataFilters(filters=[*one("in", ["x"], "tenant").filters, *one("==", "a").filters])
    before = native.model_copy(deep=True)
    left: Any = relaxed_native(native, read_filter(native, relevance=("kind",)), relevance=("kind",))
    assert left == one("in", ["x"], "tenant")
    assert native == before
    first: Any = native.filters[0]
    first.value.append("everyone")
    assert left == one("in", ["x"], "tenant")


@pytest.mark.parametrize("condition", [FilterCondition.OR, FilterCondition.NOT])
def test_filters_that_are_not_all_demanded_go_as_a_whole_or_stay(condition: FilterCondition) -> None:
    relevant = MetadataFilters(filters=one("==", "a").filters, condition=condition)
    assert relaxed_native(relevant, read_filter(relevant, relevance=("kind",)), relevance=("kind",)) is None
    mixed = MetadataFilters(filters=[*relevant.filters, *one("==", "x", "tenant").filters], condition=condition)
    assert relaxed_native(mixed, read_filter(mixed, relevance=("kind",)), relevance=("kind",)) == mixed


def test_no_filter_of_entitlement_is_lost_in_random_filters() -> None:
    chance = random.Random(3)
    relaxed = 0
    for _ in range(2000):
        native = random_filters(chance)
        left: Any = relaxed_native(native, read_filter(native, relevance=("kind",)), relevance=("kind",))
        entitled = [each for each in native.filters if each.key != "kind"]  # type: ignore[union-attr]  # leaves only
        assert entitled == [each for each in (left.filters if left else []) if each.key != "kind"]
        relaxed += left != native
    assert relaxed > 200


def test_an_object_of_the_library_is_no_list_of_values() -> None:
    wanted: Any = Label("secret", "relevance", "caller", "eq")
    part = MetadataFilter.model_construct(key="a", value=wanted, operator=FilterOperator.IN)
    said = read_filter(MetadataFilters.model_construct(filters=[part], condition=FilterCondition.AND))
    assert (said.state, said.opaque_count) == ("partial", 1)
    assert "secret" not in repr(said)
