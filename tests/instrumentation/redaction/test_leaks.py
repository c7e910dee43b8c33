"""Wherever an application puts a secret, it is in nothing that leaves and in nothing that is logged."""

import io
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.samples.keeping import KeepingExporter
from tests.samples.places import PLACES

import ragvigil
from ragvigil.guard import GUARD

SECRET = "".join(["Xy", "Zzy", "-4711"])
IDENTIFIERS = {
    "session_id": "hashed",
    "intent": "hashed",
    "slices": "hashed",
    "document_ids": "hashed",
    "feedback_id": "hashed",
}
REFUSED = {
    "a question of another type", "a number that is none", "ids that fail", "vector", "entitlement", "mapping",
    "unreadable text",
}  # fmt: skip
"""Places from which nothing leaves, whatever is configured."""


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """What Ragvigil logs, as a handler would write it."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    logging.getLogger("ragvigil").addHandler(handler)
    yield written
    logging.getLogger("ragvigil").removeHandler(handler)


def leaked(places: list[str], text: str, **options: Any) -> list[bytes | str]:
    """What leaves and is logged with the secret in it, when an application put it in these places."""
    GUARD.strict = False
    GUARD.forget()
    exporter = KeepingExporter()
    ragvigil.configure(exporter=exporter, document_texts=True, probe_share=1.0, secret_key=b"k" * 16, **options)
    with logged() as log:
        with ragvigil.pipeline("ask") as answer, ragvigil.stage("rerank") as stage:
            for place in places:
                PLACES[place](answer, stage, text)
        assert ragvigil.flush(timeout_s=10)
        ragvigil.shutdown()
    assert {"ask", "rerank"} <= {span.name for span in exporter.spans}
    return [payload for payload in [*exporter.payloads, log.getvalue().encode()] if SECRET.encode() in payload]


def without_secret(text: str) -> str:
    return text.replace(SECRET, "-")


SURELY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("place", PLACES)
def test_every_place_is_one_where_it_would_leak(lenient: None, place: str) -> None:
    """With nothing configured it does leave, or is refused anyway: so that the tests below are about something."""
    assert bool(leaked([place], SECRET, content={"user_id": "full"})) == (place not in REFUSED)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(
    "options",
    [
        {"redactors": [without_secret], "content": IDENTIFIERS},
        {"content": {"default": "hashed", **IDENTIFIERS}},
        {"content": {"default": "none", **IDENTIFIERS}},
    ],
    ids=["redactor", "hashed", "none"],
)
def test_from_each_place_alone_nothing_leaves(lenient: None, place: str, options: dict[str, Any]) -> None:
    assert not leaked([place], f"before {SECRET} after", **options)


@SURELY
@given(
    st.lists(st.sampled_from(sorted(PLACES)), min_size=1, max_size=12),
    st.lists(st.one_of(st.text(max_size=20), st.just(SECRET)), max_size=5),
    st.sampled_from(["redactor", "hashed", "none"]),
)
def test_from_any_places_with_any_text_nothing_leaves(
    lenient: None, places: list[str], around: list[str], way: str
) -> None:
    text = SECRET.join(["", *around, ""])
    if way == "redactor":
        assert not leaked(places, text, redactors=[without_secret], content=IDENTIFIERS)
    else:
        assert not leaked(places, text, content={"default": way, **IDENTIFIERS})


def test_what_redactors_fail_on_does_not_leave_either(lenient: None) -> None:
    def fail(text: str) -> str:
        raise ValueError(text)

    assert not leaked(list(PLACES), f"before {SECRET}", redactors=[fail], content=IDENTIFIERS)
