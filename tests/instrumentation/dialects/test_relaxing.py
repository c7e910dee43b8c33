"""Native filters without their relevance clauses: copies, of the same form, and refused when anything is in doubt."""

from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil import Filter, entitlement, relevance, where
from ragvigil.dialects import DIALECTS, WITHOUT, Unreadable, read_filter, relaxed_native
from ragvigil.predicates import And, Or, eq, in_, to_json

TENANT, KIND, LANG = eq("tenant", "acme"), eq("kind", "a"), eq("lang", "de")


def relaxed(native: object, dialect: str | None = None, *fields: str) -> object:
    return relaxed_native(native, read_filter(native, dialect, fields), dialect, fields)


@pytest.mark.parametrize(
    ("native", "fields", "left"),
    [
        (where(entitlement(TENANT), relevance(KIND)), (), where(entitlement(TENANT))),
        (where(TENANT, KIND), ("kind",), where(TENANT)),
        (And((TENANT, KIND)), ("kind",), And((TENANT,))),
        (KIND, ("kind",), And(())),
        (Or((KIND, LANG)), ("kind", "lang"), And(())),
        (Or((KIND, TENANT)), ("kind",), Or((KIND, TENANT))),
        ({"tenant": "acme", "kind": ["a", "b"]}, ("kind",), {"tenant": "acme"}),
        (MappingProxyType({"tenant": "acme", "kind": "a"}), ("kind",), {"tenant": "acme"}),
        ({"kind": "a"}, ("kind",), {}),
    ],
    ids=["filter", "filter by field", "and", "leaf", "or", "mixed or", "mapping", "read-only mapping", "all of it"],
)
def test_relevance_is_left_out(native: object, fields: tuple[str, ...], left: object) -> None:
    assert relaxed(native, None, *fields) == left


def test_json_stays_json() -> None:
    assert relaxed(to_json(And((TENANT, KIND))), "neutral", "kind") == to_json(And((TENANT,)))


def test_the_result_shares_nothing_that_can_change() -> None:
    native: dict[str, Any] = {"tenant": ["acme"], "kind": "a"}
    left = relaxed(native, None, "kind")
    native["tenant"].append("beta")
    assert left == {"tenant": ["acme"]}


def test_a_filter_that_was_changed_since_it_was_read_is_refused() -> None:
    native = {"tenant": "acme", "kind": "a"}
    said = read_filter(native, None, ("kind",))
    native["tenant"] = "beta"
    with pytest.raises(Unreadable, match="no longer"):
        relaxed_native(native, said, None, ("kind",))


@pytest.mark.parametrize(
    ("native", "dialect"),
    [
        (relevance(KIND), None),
        ('{"op":"eq","field":"kind","value":"a"}', "neutral"),
        (object(), None),
        ({"kind": "a"}, "unheard of"),
    ],
    ids=["clause", "JSON text", "unreadable", "unknown dialect"],
)
def test_a_form_that_cannot_be_written_back_is_refused(native: object, dialect: str | None) -> None:
    with pytest.raises(Unreadable):
        relaxed(native, dialect, "kind")


@pytest.mark.parametrize("name", WITHOUT)
@pytest.mark.parametrize("native", [5, None, "text", [1]], ids=str)
def test_what_is_not_of_the_dialect_is_refused(name: str, native: object) -> None:
    with pytest.raises(Unreadable):
        WITHOUT[name](native, ["/args/0"])


def test_every_dialect_that_writes_also_reads() -> None:
    assert set(WITHOUT) <= set(DIALECTS)


@given(
    st.dictionaries(
        st.text(max_size=5), st.one_of(st.text(), st.integers(), st.booleans(), st.lists(st.text())), max_size=6
    ),
    st.frozensets(st.text(max_size=5), max_size=4),
)
def test_a_mapping_keeps_every_field_that_is_not_relevance(native: dict[str, Any], fields: frozenset[str]) -> None:
    assert relaxed(native, None, *fields) == {name: value for name, value in native.items() if name not in fields}


@pytest.mark.parametrize(
    ("said", "conjuncts", "left"),
    [
        (where(TENANT, KIND), (), where(TENANT, KIND)),
        (where(TENANT, KIND), ("/args/0",), Filter(And((KIND,)))),
        (where(TENANT, KIND), ("/args/7", ""), where(TENANT, KIND)),
        (Filter(KIND), ("",), Filter(And(()))),
        (Filter(KIND), ("/args/0",), Filter(KIND)),
        (Filter(None), ("",), Filter(None)),
        (where(in_("a", [1]), relevance(KIND)), ("/args/0",), where(relevance(KIND))),
    ],
    ids=["none", "one", "unknown ones", "the root", "no such child", "unreadable", "labels move"],
)
def test_conjuncts_are_left_out_by_pointer(said: Filter, conjuncts: tuple[str, ...], left: Filter) -> None:
    assert said.without(conjuncts) == left
