import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.predicates import where
from ragvigil_monitor.demo.access import TEAMS, entitlement_of, may_read, readers
from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.parts import Parts


@given(team=st.sampled_from(list(TEAMS)), question=st.text(max_size=60), number=st.integers(0, 10_000))
def test_no_team_ever_gets_a_document_that_it_may_not_read(
    library: Library, healthy: Parts, team: str, question: str, number: int
) -> None:
    about = list(library.entries.values())[number % len(library.entries)]
    asked = f"{question} {about.id} of the {about.package} module"
    allowed = where(entitlement_of(team), *healthy.extract(asked))
    for hit in library.index.search(library.encoder.encode(asked), allowed, 50):
        assert may_read(team, library.entries[hit.id].package)


def test_readers_are_the_teams_that_may_read(corpus: tuple[Entry, ...]) -> None:
    for package in {entry.package for entry in corpus}:
        assert set(readers(package)) == {team for team in TEAMS if may_read(team, package)}
        assert "platform" in readers(package)


def test_packages_of_teams_exist(corpus: tuple[Entry, ...]) -> None:
    known = {entry.package for entry in corpus}
    for packages in TEAMS.values():
        assert len((packages or frozenset()) & known) >= 0.8 * len(packages or ())


def test_entitlement_is_labelled_as_such() -> None:
    said = where(entitlement_of("web"))
    assert said.protected_fields() == {"readers"}
    assert said.relaxed() == said


def test_an_unknown_team_may_not_ask() -> None:
    with pytest.raises(KeyError, match="no team 'sales'"):
        entitlement_of("sales")
