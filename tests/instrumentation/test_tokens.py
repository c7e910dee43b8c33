"""Answer tokens: readable by anyone, made only with the key, refused with a reason when anything is wrong."""

import base64
import hmac
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragvigil
from ragvigil.feedback_event import AnswerReference, FeedbackError
from ragvigil.testing import InMemoryExporter, ManualClock
from ragvigil.tokens import MAX_TOKEN, signed, verified

KEY = b"k" * 32
TRACE_ID, SPAN_ID = f"{7:032x}", f"{9:016x}"
ANSWER = AnswerReference(TRACE_ID, SPAN_ID, f"{TRACE_ID}-{SPAN_ID}", 1_700_000_000_000_000_000)
TOKEN = signed(ANSWER, KEY)
Exported = Callable[[], InMemoryExporter]


def with_payload(payload: bytes) -> str:
    """A token with any payload, rightly signed."""
    said = f"rv1.{base64.urlsafe_b64encode(payload).rstrip(b'=').decode()}"
    signature = hmac.digest(KEY, said.encode(), "sha256")[:16]
    return f"{said}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def refusal(token: object) -> str:
    with pytest.raises(FeedbackError) as refused:
        verified(token, KEY)
    return str(refused.value)


def test_the_form_is_the_documented_one() -> None:
    version, payload, signature = TOKEN.split(".")
    assert version == "rv1"
    assert base64.urlsafe_b64decode(payload + "==") == (
        f'{{"t":"{TRACE_ID}","s":"{SPAN_ID}","a":"{TRACE_ID}-{SPAN_ID}","n":1700000000000000000}}'.encode()
    )
    expected = hmac.new(KEY, f"rv1.{payload}".encode(), "sha256").digest()[:16]
    assert base64.urlsafe_b64decode(signature + "==") == expected
    assert "=" not in TOKEN
    assert len(TOKEN) < MAX_TOKEN / 2


@given(
    st.integers(0, 2**128 - 1),
    st.integers(0, 2**64 - 1),
    st.text(max_size=100),
    st.integers(0, 2**63 - 1),
    st.binary(min_size=16, max_size=64),
)
def test_what_was_signed_is_read_back(trace: int, span: int, answer_id: str, started_at: int, key: bytes) -> None:
    answer = AnswerReference(f"{trace:032x}", f"{span:016x}", answer_id, started_at)
    token = signed(answer, key)
    if len(token) <= MAX_TOKEN:
        assert verified(token, key) == answer


@pytest.mark.parametrize(
    ("token", "reason"),
    [
        (TOKEN[:-1], "cut short"),
        (TOKEN[: len(TOKEN) // 2], "cut short"),
        ("", "not of the form"),
        ("rv2" + TOKEN[3:], "not of the form"),
        (f" {TOKEN}", "not of the form"),
        (f"{TOKEN}\n", "not of the form"),
        (f"{TOKEN}==", "not of the form"),
        (f"{TOKEN[:-1]}é", "not of the form"),
        (f"{TOKEN[:-1]}\udcff", "not of the form"),
        ("rv1.٣٣٣." + "A" * 22, "not of the form"),
        (TOKEN.upper(), "not of the form"),
        ("A" * (MAX_TOKEN + 1), f"more than {MAX_TOKEN} characters"),
        ("A" * 10_000_000, f"more than {MAX_TOKEN} characters"),
        (TOKEN.encode(), "expected text"),
        (5, "expected text"),
        (signed(ANSWER, b"another key" * 3), "the signature is wrong"),
        (f"rv1.{TOKEN.split('.')[1]}.{'A' * 22}", "the signature is wrong"),
        (with_payload(b"{}"), "the payload cannot be read"),
        (with_payload(b"[]"), "the payload cannot be read"),
        (with_payload(b"\xff\xfe"), "the payload cannot be read"),
        (with_payload(b"null"), "the payload cannot be read"),
    ],
    ids=[
        "without its last letter",
        "half of it",
        "empty",
        "another version",
        "space",
        "newline",
        "padding",
        "non-ASCII",
        "surrogate",
        "digits of another script",
        "upper case",
        "too long",
        "huge",
        "bytes",
        "number",
        "foreign key",
        "no real signature",
        "no keys",
        "a list",
        "no text",
        "null",
    ],
)
def test_anything_else_is_refused_with_its_reason(token: object, reason: str) -> None:
    assert reason in refusal(token)


@pytest.mark.parametrize(
    "change",
    [
        {"t": "7"},
        {"t": TRACE_ID.upper().replace("0", "G")},
        {"t": 7},
        {"s": SPAN_ID + "0"},
        {"s": None},
        {"a": ["x"]},
        {"n": -1},
        {"n": 2**63},
        {"n": 1.5},
        {"n": True},
        {"n": "1700000000000000000"},
    ],
    ids=str,
)
def test_a_signed_payload_of_another_shape_is_refused(change: dict[str, Any]) -> None:
    payload = {"t": TRACE_ID, "s": SPAN_ID, "a": "a", "n": 1, **change}
    assert "payload" in refusal(with_payload(json.dumps(payload).encode()))


@given(st.integers(0, len(TOKEN) - 1), st.characters(codec="ascii"))
def test_no_changed_letter_passes(position: int, letter: str) -> None:
    changed = TOKEN[:position] + letter + TOKEN[position + 1 :]
    if changed != TOKEN:
        refusal(changed)


@given(st.one_of(st.text(max_size=2000), st.binary(), st.none(), st.lists(st.text())))
def test_nothing_but_a_refusal_comes_out_of_nonsense(token: object) -> None:
    refusal(token)


def test_no_reason_repeats_what_was_sent() -> None:
    reasons = {refusal(f"rv1.{letter * 20}.{'A' * 22}") for letter in "abcdefgh"}
    assert len(reasons) == 1


def test_an_answer_has_one_token_while_it_is_made_and_afterwards(exported: Exported, clock: ManualClock) -> None:
    with ragvigil.pipeline("ask") as answer:
        clock.advance(1.0)
        inside = ragvigil.token()
        with ragvigil.stage("generate"):
            assert ragvigil.token() == inside
    assert answer.token() == inside
    assert inside is not None
    payload = json.loads(base64.urlsafe_b64decode(inside.split(".")[1] + "=="))
    span = exported().one("ask")
    assert payload == {"t": span.trace_id, "s": span.span_id, "a": answer.id, "n": span.start_ns}


def test_no_session_user_or_question_is_in_a_token(exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="a secret", session_id="s-81", user_id="u-5")
        token = answer.token()
    assert token is not None
    assert set(json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))) == {"t", "s", "a", "n"}


def test_there_is_none_without_an_answer(exported: Exported) -> None:
    assert ragvigil.token() is None
    assert ragvigil.pipeline("never started").token() is None
    assert ragvigil.counts().feedback.tokens_without_key == 0


def test_there_is_none_without_configure() -> None:
    with ragvigil.pipeline("ask") as answer:
        assert ragvigil.token() is None
        assert answer.token() is None


def test_there_is_none_without_a_key_which_is_told_once_and_counted(caplog: pytest.LogCaptureFixture) -> None:
    ragvigil.configure(exporter=InMemoryExporter())
    with ragvigil.pipeline("ask"):
        assert [ragvigil.token() for _ in range(3)] == [None, None, None]
    assert ragvigil.counts().feedback.tokens_without_key == 3
    assert caplog.text.count("configure(secret_key=...) is missing") == 1


def test_a_token_is_not_signed_with_the_key_of_filter_values(exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        token = answer.token()
    with pytest.raises(FeedbackError, match="signature"):
        verified(token, b"k" * 16)
