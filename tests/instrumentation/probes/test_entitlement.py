"""What a probe really asks for, in thousands of random filters of every form: never less than entitlement demands."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

import ragvigil
from ragvigil import Filter
from ragvigil.dialects import read_filter
from ragvigil.export.exporter import ACCEPTED, Delivery, Signal
from ragvigil.predicates import And, Label, Leaf, Not, Opaque, Or, Predicate, to_json

FIELDS = ["tenant", "team", "kind", "topic"]
RELEVANT = ("kind", "topic")
VALUES = ["a", "b", "c"]


class Discarding:
    """Accepts everything and keeps nothing."""

    def __init__(self) -> None:
        self.requests = 0

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        assert signal
        assert payload
        self.requests += 1
        return ACCEPTED

    def close(self) -> None:
        self.requests = 0


def random_predicate(chance: random.Random, depth: int) -> Predicate:
    """A predicate over four fields: leaves, opaque parts, and any nesting."""
    shape = chance.random()
    if depth == 0 or shape < 0.5:
        name, value = chance.choice(FIELDS), chance.choice(VALUES)
        if chance.random() < 0.15:
            return Opaque("es", chance.choice(VALUES))
        return Leaf("in", name, (value, chance.choice(VALUES))) if shape < 0.15 else Leaf("eq", name, value)
    args = tuple([random_predicate(chance, depth - 1) for _ in range(chance.randrange(4))])
    return Not(random_predicate(chance, depth - 1)) if shape < 0.6 else And(args) if shape < 0.8 else Or(args)


def paths(node: Predicate, path: str = "") -> Iterator[tuple[str, Predicate]]:
    """Each part with its pointer, written again so that the product's own walk is not its judge."""
    yield path, node
    if isinstance(node, Not):
        yield from paths(node.arg, f"{path}/arg")
    if isinstance(node, And | Or):
        for index, arg in enumerate(node.args):
            yield from paths(arg, f"{path}/args/{index}")


def random_labels(chance: random.Random, predicate: Predicate) -> tuple[Label, ...]:
    """Roles on some parts, also contradicting ones; most are relevance, since those tempt a probe."""
    labels: list[Label] = []
    for path, _ in paths(predicate):
        if chance.random() < 0.5:
            labels.append(Label(path, "relevance" if chance.random() < 0.8 else "entitlement"))
    return tuple(labels)


def random_native(chance: random.Random) -> object:
    """A filter in any of the forms that a search function may take."""
    form = chance.randrange(4)
    predicate = random_predicate(chance, 3)
    if form == 0:
        return {name: chance.choice([*VALUES, [*VALUES]]) for name in chance.sample(FIELDS, chance.randrange(5))}
    if form == 1:
        return predicate
    if chance.random() < 0.8:
        predicate = And(tuple([random_predicate(chance, 2) for _ in range(chance.randrange(5))]))
    return Filter(predicate, random_labels(chance, predicate))


def is_entitlement(said: Filter, path: str, node: Predicate) -> bool:
    """Whether a part is one that no probe may drop: not called relevance, by label above or by field."""
    above = {label.role for label in said.labels if path == label.path or path.startswith(f"{label.path}/")}
    if isinstance(node, Leaf) and node.field in RELEVANT:
        above.add("relevance")
    return above != {"relevance"}


def kept_conjuncts(native: object) -> list[Predicate]:
    """The conjuncts that a probe must ask for, worked out from the caller's filter alone."""
    said = native if isinstance(native, Filter) else read_filter(native)
    root = said.predicate
    assert root is not None
    conjuncts = [(f"/args/{i}", arg) for i, arg in enumerate(root.args)] if isinstance(root, And) else [("", root)]
    return [
        conjunct
        for start, conjunct in conjuncts
        if any(
            is_entitlement(said, path, node)
            for path, node in paths(conjunct, start)
            if not isinstance(node, Not) and not (isinstance(node, And | Or) and node.args)
        )
    ]


def conjuncts_of(native: object) -> list[Predicate]:
    """The conjuncts of a filter in any form."""
    predicate = read_filter(native).predicate
    assert predicate is not None
    return list(predicate.args) if isinstance(predicate, And) else [predicate]


def is_as_demanded(asked: object, native: object) -> bool:
    """Whether what the search function was handed is the caller's filter without relevance, compared as it is."""
    if isinstance(native, dict):
        return asked == {name: wanted for name, wanted in native.items() if name not in RELEVANT}
    predicate = asked.predicate if isinstance(asked, Filter) else asked
    return isinstance(asked, Filter) is isinstance(native, Filter) and predicate == And(tuple(kept_conjuncts(native)))


@dataclass
class Requests:
    """Every request that reached the search function, by query: the application's own, then that of the probe."""

    by_query: dict[str, list[tuple[object, int]]] = field(default_factory=dict)

    def search(self, query: str, where: object, k: int) -> list[str]:
        """Answer anything."""
        self.by_query.setdefault(query, []).append((where, k))
        return ["a"]


def search_with(requests: Requests) -> Callable[[str, object, int], list[str]]:
    return ragvigil.retriever(filter="where", query="query", top_k="k", relevance=RELEVANT)(requests.search)


def check(native: object, requests: list[tuple[object, int]]) -> bool:
    """Judge the requests of one query; whether there was a probe."""
    if len(kept_conjuncts(native)) == len(conjuncts_of(native)):
        assert len(requests) == 1
        return False
    (first, k), (asked, deep_k) = requests
    assert first is native
    assert deep_k >= 2 * k
    assert is_as_demanded(asked, native)
    return True


def probe_random_filters(seed: int, count: int) -> int:
    """Search with `count` random filters, each probed, and check every request; how many were probed."""
    chance, requests = random.Random(seed), Requests()
    search = search_with(requests)
    probed = 0
    for begin in range(0, count, 500):
        natives = {str(number): random_native(chance) for number in range(begin, begin + 500)}
        for query, native in natives.items():
            with ragvigil.pipeline("ask"):
                search(query, native, chance.randrange(1, 9))
        assert ragvigil.flush(timeout_s=120)
        probed += sum(check(native, requests.by_query.pop(query)) for query, native in natives.items())
    return probed


@pytest.fixture
def unbounded() -> None:
    ragvigil.configure(
        exporter=Discarding(), probe_share=1.0, max_waiting_probes=1000, max_queue_traces=10_000, secret_key=b"k" * 16
    )


def test_no_probe_weakens_entitlement_in_ten_thousand_filters(unbounded: None) -> None:
    probed = probe_random_filters(seed=20261130, count=10_000)
    probes = ragvigil.counts().probes
    assert probed == probes.run == probes.sampled
    assert probed > 3000


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_no_probe_weakens_entitlement_in_a_hundred_thousand_filters(unbounded: None) -> None:
    probed = probe_random_filters(seed=7, count=100_000)
    probes = ragvigil.counts().probes
    assert probed == probes.run == probes.sampled
    assert probed > 30_000


def test_a_filter_as_json_is_relaxed_as_json() -> None:
    """The one form that needs its dialect named."""
    requests, exporter = Requests(), Discarding()
    ragvigil.configure(exporter=exporter, probe_share=1.0)
    made = ragvigil.retriever(filter="where", top_k="k", relevance=RELEVANT, dialect="neutral")(requests.search)
    said = And((Leaf("eq", "tenant", "a"), Leaf("eq", "kind", "b"), Or((Leaf("eq", "kind", "c"),))))
    made("q", to_json(said), 3)
    assert ragvigil.flush()
    assert requests.by_query["q"][1] == (to_json(And((Leaf("eq", "tenant", "a"),))), 6)
