"""What a probe asks for is what its search asked for, whatever becomes of the arguments meanwhile."""

import functools
import threading
import types
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum
from typing import Any

import numpy as np
import pytest
from qdrant_client import models

import ragvigil
from ragvigil import ProbeCounts
from ragvigil.probes.snapshot import MAX_ITEMS, snapshot
from ragvigil.searches import NotProbeable
from ragvigil.testing import InMemoryExporter

Configured = Callable[..., InMemoryExporter]


@dataclass
class User:
    """Says who asks."""

    groups: list[str]
    since: datetime = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(slots=True)
class Slotted:
    """The same without a dictionary."""

    groups: list[str]


class Plain:
    """The same by hand."""

    def __init__(self, groups: list[str]) -> None:
        self.groups = groups


@dataclass
class Service:
    """Does something, and holds something as well."""

    groups: list[str] = field(default_factory=list)
    lock: Any = field(default_factory=threading.Lock)


@dataclass
class Holder:
    """Holds anything."""

    held: object


class Colour(Enum):
    """A member stays what it is."""

    RED = 1


UNSET = object()
SERVICE = Service()


def grow(value: Any) -> None:
    """Add to the list that a value is or holds."""
    (value if isinstance(value, list | deque) else value.groups).append("evil")


@pytest.mark.parametrize("make", [list, deque, User, Slotted, Plain], ids=lambda make: make.__name__)
@pytest.mark.parametrize("inside", [lambda v: v, lambda v: [v], lambda v: ({"a": v},)], ids=["alone", "list", "dict"])
def test_what_holds_data_is_copied(make: Callable[[Any], Any], inside: Callable[[Any], Any]) -> None:
    value = make(["acme"])
    (by_position,), by_name = snapshot((inside(value),), {"who": inside(value)})
    grow(value)
    copied: Any
    for copied in (by_position, by_name["who"]):
        while isinstance(copied, tuple | dict) or (isinstance(copied, list) and not isinstance(copied[0], str)):
            copied = next(iter(copied.values() if isinstance(copied, dict) else copied))
        assert list(getattr(copied, "groups", copied)) == ["acme"]


def test_sets_arrays_and_models_are_copied() -> None:
    groups, vector, condition = {"acme"}, np.ones(3), models.HasIdCondition(has_id=[1])
    (one, two, three), _ = snapshot((groups, vector, condition), {})
    groups.add("evil")
    vector[0] = 5
    condition.has_id.append(2)
    assert (one, list(two), three) == ({"acme"}, [1, 1, 1], models.HasIdCondition(has_id=[1]))


@pytest.mark.parametrize(
    "value",
    [
        SERVICE,
        SERVICE.lock,
        threading,
        len,
        grow,
        [].append,
        functools.partial(grow, SERVICE),
        Colour.RED,
        UNSET,
        Plain,
    ],
    ids=["object", "lock", "module", "builtin", "function", "method", "partial", "member", "sentinel", "class"],
)
def test_what_does_something_stays_the_same(value: object) -> None:
    (alone, [listed]), _ = snapshot((value, [value]), {})
    assert alone is listed is value


def test_a_list_beside_a_service_is_copied_all_the_same() -> None:
    mixed: list[Any] = [SERVICE, ["acme"]]
    default = Holder(UNSET)
    (copied, holder), _ = snapshot((mixed, default), {})
    assert holder is not default
    assert holder.held is UNSET
    mixed[1].append("evil")
    assert copied[0] is SERVICE
    assert copied[1] == ["acme"]


def test_whoever_searches_is_kept_and_what_leads_back_to_itself_is_copied() -> None:
    itself, cycle = Plain(["acme"]), Plain([])
    cycle.groups.append(cycle)  # type: ignore[arg-type]  # wrong on purpose
    (kept, copied), _ = snapshot((itself, cycle), {}, [itself])
    assert kept is itself
    assert copied is not cycle
    assert copied.groups == [copied]


class Hostile:
    """Cannot be copied."""

    def __init__(self) -> None:
        self.groups = ["acme"]

    def __deepcopy__(self, memo: object) -> "Hostile":
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("value", "failure"),
    [
        (iter(["a"]), NotProbeable),
        ([map(str, [1])], NotProbeable),
        ([0.5] * (MAX_ITEMS + 1), NotProbeable),
        (User([["a"]] * (MAX_ITEMS + 1)), NotProbeable),  # type: ignore[list-item]  # too large is what matters
        (np.zeros(200_000), NotProbeable),
        (types.MappingProxyType({"a": 1}), TypeError),
        ({"a": 1}.keys(), TypeError),
        (Hostile(), ZeroDivisionError),
    ],
    ids=["iterator", "inside", "long", "large", "array", "view", "keys", "hostile"],
)
def test_what_cannot_be_copied_is_refused(value: object, failure: type[Exception]) -> None:
    with pytest.raises(failure):
        snapshot((value,), {})


# --- in a search ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("during", [True, False], ids=["during the search", "after it"])
def test_groups_that_are_added_later_are_not_asked_for(probing: Configured, during: bool) -> None:
    probing()
    asked: list[list[str]] = []

    @ragvigil.retriever(filter="where", top_k="k", relevance=("lang",))
    def search(query: str, groups: list[str], where: dict[str, str], k: int = 2) -> list[str]:
        asked.append(list(groups))
        if during:
            groups.append("evil")
        return ["a"]

    groups = ["acme"]
    with ragvigil.pipeline("ask"):
        search("q", groups, {"lang": "de"})
        groups.append("evil")
    assert ragvigil.flush()
    assert asked == [["acme"], ["acme"]]


def test_a_method_searches_its_own_object_again(probing: Configured) -> None:
    probing()

    class Shop:
        """Counts its searches."""

        def __init__(self) -> None:
            self.searches = 0

        @ragvigil.retriever(filter="where", top_k="k", relevance=("lang",))
        def search(self, where: dict[str, str], k: int = 2) -> list[str]:
            self.searches += 1
            return [f"{where} {k}"]

    shop = Shop()
    shop.search({"lang": "de"})
    assert ragvigil.flush()
    assert shop.searches == 2


def test_a_search_whose_arguments_cannot_be_copied_is_not_probed(
    probing: Configured, caplog: pytest.LogCaptureFixture
) -> None:
    probing()

    @ragvigil.retriever(filter="where", top_k="k", relevance=("lang",))
    def search(ids: Any, where: dict[str, str], k: int = 2) -> list[str]:
        return list(ids)

    assert search(iter(["a"]), {"lang": "de"}) == ["a"]
    assert ragvigil.flush()
    assert ragvigil.counts().probes == ProbeCounts(sampled=1, unsupported=1)
    assert "an argument is an iterator" in caplog.text
