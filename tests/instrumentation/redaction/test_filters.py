"""Values of filters: hashed, left out, or looked at by redactors; roles and structure stay for the monitor."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from tests.samples.keeping import Redacting

import ragvigil
from ragvigil import Filter, entitlement, relevance, where
from ragvigil import attributes as names
from ragvigil.counts import Counters
from ragvigil.predicates import (
    Label,
    Leaf,
    Opaque,
    ProtectedLeaf,
    eq,
    exists,
    from_json,
    gt,
    in_,
    labels_from_json,
    not_,
    or_,
)
from ragvigil.predicates.protect import protected, value_hmac
from ragvigil.redaction.content import Mode
from ragvigil.redaction.filters import WITHHELD, FilterRedactor
from ragvigil.redaction.texts import Texts

KEY = b"f" * 32
SAID = where(
    entitlement(in_("tenant", ["acme"])), relevance(eq("lang", "de"), origin="rule"), relevance(gt("year", 2020))
)


def redacted(said: Filter, mode: Mode = "full", *old: str) -> Filter:
    def replaced(text: str) -> str:
        for part in old:
            text = text.replace(part, "-")
        return text

    return FilterRedactor(mode, Texts([replaced] if old else [], Counters()), KEY).redacted(said)


def test_in_full_only_entitlement_is_hashed() -> None:
    assert redacted(SAID) == protected(SAID, KEY)
    assert redacted(SAID, "full", "fr") == protected(SAID, KEY)


def test_a_second_time_changes_nothing() -> None:
    modes: list[Mode] = ["full", "hashed", "none"]
    for once in [redacted(SAID, mode, "de") for mode in modes]:
        assert protected(once, KEY) == once


def test_what_a_redactor_changes_is_hashed_and_its_equality_survives() -> None:
    said = Filter(in_("lang", ["de", "fr"]), (Label("", "relevance"),))
    hashes = (value_hmac("de", KEY), value_hmac("fr", KEY))
    assert redacted(said, "full", "d").predicate == ProtectedLeaf("in", "lang", hashes)
    assert redacted(said, "full", "d") == redacted(said, "hashed")


def test_all_values_of_a_field_are_hashed_together() -> None:
    said = where(relevance(or_(eq("lang", "de"), not_(eq("lang", "fr")))), relevance(eq("kind", "faq")))
    written = json.dumps(str(redacted(said, "full", "de")))
    assert "'fr'" not in written
    assert "'faq'" in written


def test_moments_are_no_text_for_redactors() -> None:
    said = Filter(Leaf("gt", "at", "2026-01-01T00:00:00+00:00", is_datetime=True), (Label("", "relevance"),))
    assert redacted(said, "full", "2026").predicate == said.predicate
    assert isinstance(redacted(said, "hashed").predicate, Opaque)


@pytest.mark.parametrize("mode", ["full", "hashed", "none"])
def test_roles_and_places_of_clauses_stay(mode: Mode) -> None:
    after = redacted(SAID, mode, "de")
    assert after.labels == SAID.labels
    assert after.relevance_conjuncts() == SAID.relevance_conjuncts()
    assert after.protected_fields() <= {"tenant"}


def test_without_values_nothing_can_be_concluded_but_that_there_are_some() -> None:
    after = redacted(where(relevance(eq("lang", "de")), relevance(exists("title"))), "none")
    assert (after.state, after.opaque_count) == ("partial", 1)
    assert after.matches({"lang": "de", "title": "x"}) is None
    assert redacted(where(), "none").state == "none"
    unread = redacted(Filter(None, raw="secret"), "none")
    assert (unread.state, unread.raw) == ("unknown", WITHHELD)


def test_a_raw_filter_passes_the_redactors() -> None:
    assert redacted(Filter(None, raw="lang = de"), "full", "de").raw == "lang = -"
    part = redacted(where(relevance(Opaque("sql", "de"))), "full", "de")
    assert part.predicate == where(relevance(Opaque("sql", "-"))).predicate
    assert redacted(Filter(None, raw="lang = de"), "hashed").raw == WITHHELD


@pytest.mark.parametrize(
    "options",
    [{"redactors": [lambda text: text.replace("de", "-")]}, {"content": "hashed"}, {"content": "none"}],
    ids=["redactor", "hashed", "none"],
)
def test_what_leaves_is_still_a_filter(redacting: Redacting, options: Mapping[str, Any]) -> None:
    out = redacting(**options)
    with ragvigil.stage("retrieve") as stage:
        stage.filter(SAID)
    found = out().one("retrieve").attributes
    said = Filter(from_json(found[names.FILTER_AST]), labels_from_json(found[names.FILTER_CLAUSES]))
    assert said.relevance_conjuncts() == SAID.relevance_conjuncts()
    assert found[names.FILTER_STATE] == said.state
    assert '"de"' not in found[names.FILTER_AST]
