import numpy as np
import pytest

from ragvigil.predicates import eq, where
from ragvigil_monitor.demo.access import READERS_FIELD, TEAMS
from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.embedding import DIMENSION
from ragvigil_monitor.demo.library import Library, metadata

LOADS = Entry("json.loads", "Deserialize s to a Python object.", "json", "json", "function")


def test_metadata_are_what_filters_ask_for() -> None:
    assert metadata(LOADS) == {
        "package": "json",
        "module": "json",
        "kind": "function",
        READERS_FIELD: ["platform", "data", "web"],
    }


@pytest.mark.parametrize("team", TEAMS)
def test_every_team_has_enough_to_read(library: Library, team: str) -> None:
    hits = library.index.search(library.encoder.encode("return a string"), where(eq(READERS_FIELD, team)), 10_000)
    assert len(hits) > 300


def test_every_document_finds_itself(library: Library) -> None:
    for entry in list(library.entries.values())[::40]:
        (best, *_) = library.index.search(library.encoder.encode(entry.indexed_text), where(), 1)
        assert best.score == pytest.approx(1, abs=1e-4)


def test_two_libraries_are_alike(library: Library, corpus: tuple[Entry, ...]) -> None:
    again = Library.build(corpus)
    query = library.encoder.encode("parse a date")
    assert query.shape == (DIMENSION,)
    np.testing.assert_array_equal(query, again.encoder.encode("parse a date"))
    assert again.index.search(query, where(), 20) == library.index.search(query, where(), 20)


def test_parts_of_two_seeds_differ_in_popularity_and_mood_only(library: Library) -> None:
    one, two = library.healthy_parts(1), library.healthy_parts(2)
    assert (one.prices, one.extract("in the json module")) == (two.prices, two.extract("in the json module"))
    assert one.latency.median_ms == two.latency.median_ms
    assert one.latency.seed != two.latency.seed
