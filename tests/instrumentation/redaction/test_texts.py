"""Redactors: applied in order, off the request thread, once; whatever they do, nothing passes beside them."""

import base64
import json
import logging
import re
import threading
import traceback
from collections.abc import Callable
from typing import Any

import pytest
from tests.samples.keeping import KeepingExporter, Redacting

import ragvigil
from ragvigil import attributes as names
from ragvigil.counts import Counters
from ragvigil.documents import LONGEST_TEXT
from ragvigil.export.exporter import Delivery, Outcome, Signal
from ragvigil.predicates import eq
from ragvigil.rare import LONGEST_STACKTRACE
from ragvigil.redaction import common
from ragvigil.redaction.texts import LONGEST_WORD, MARGIN, MAX_TEXT, Texts

WaitFor = Callable[[Callable[[], object]], None]


def ask(question: str = "a secret") -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(question=question)


def without_secret(text: str) -> str:
    return text.replace("secret", "-")


def test_redactors_apply_in_their_order(redacting: Redacting) -> None:
    out = redacting(redactors=[without_secret, str.upper, lambda text: text + "!"])
    ask("my secret")
    assert out().one("ask").attributes[names.INPUT_VALUE] == "MY -!"
    assert ragvigil.counts().redaction == ragvigil.RedactionCounts(changed=1)


def test_redactors_run_in_the_background(redacting: Redacting) -> None:
    seen: list[threading.Thread] = []

    def redact(text: str) -> str:
        seen.append(threading.current_thread())
        return text

    out = redacting(redactors=[redact])
    ask()
    out()
    assert [thread.name for thread in seen] == ["ragvigil-export"]


def fail(_: str) -> str:
    raise RuntimeError("a secret")


def leave(_: str) -> str:
    raise SystemExit


def return_nothing(_: str) -> Any:
    return None


def return_bytes(text: str) -> Any:
    return text.encode()


@pytest.mark.parametrize("redactor", [fail, leave, return_nothing, return_bytes], ids=lambda f: f.__name__)
def test_where_a_redactor_fails_the_text_is_withheld_counted_and_told_once(
    redacting: Redacting, caplog: pytest.LogCaptureFixture, redactor: Callable[[str], str]
) -> None:
    out = redacting(redactors=[redactor])
    ask()
    ask()
    assert [names.INPUT_VALUE in span.attributes for span in out().named("ask")] == [False, False]
    assert not any(b"secret" in payload for payload in out().payloads)
    assert ragvigil.counts().redaction == ragvigil.RedactionCounts(withheld=2)
    assert ragvigil.counts().exported == 2
    assert caplog.text.count("texts are withheld") == 1
    assert redactor.__name__ in caplog.text
    assert "secret" not in caplog.text


def test_a_redactor_that_fails_for_one_text_costs_that_text_only(redacting: Redacting) -> None:
    def picky(text: str) -> str:
        return text if "good" in text else fail(text)

    out = redacting(redactors=[picky])
    with ragvigil.stage("retrieve") as stage:
        stage.outputs(["a", "b"], texts=["good", "a secret"])
        stage.set_attribute("tags", ["good", "a secret", "good"])
        stage.set(query="good query")
    found = out().one("retrieve").attributes
    assert found["tags"] == ["good", "", "good"]
    assert found[names.RETRIEVAL_QUERY_TEXT] == "good query"
    assert [key for key in found if key.endswith(names.DOCUMENT_CONTENT)] == [
        f"{names.RETRIEVAL_DOCUMENTS}.0.{names.DOCUMENT_CONTENT}"
    ]


def test_a_span_that_cannot_be_redacted_is_lost_counted_and_costs_no_other(lenient: None, redacting: Redacting) -> None:
    out = redacting(redactors=[without_secret])
    with ragvigil.pipeline("ask"), ragvigil.stage("broken") as stage:
        stage.set_attribute("x", "a secret")
        stage.rare.links = [5]  # type: ignore[union-attr]
    assert [span.name for span in out().spans] == ["ask"]
    assert (ragvigil.counts().exported, ragvigil.counts().dropped) == (1, 1)


def test_a_fact_that_cannot_be_redacted_is_withheld_and_costs_no_other(lenient: None, redacting: Redacting) -> None:
    out = redacting(content={"slices": "hashed"}, redactors=[without_secret])
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="why?")
        answer.fields |= {"slices": 5, "output_documents": [("a secret", 0.5)]}
    assert out().one("ask").attributes[names.INPUT_VALUE] == "why?"
    assert ragvigil.counts().redaction == ragvigil.RedactionCounts(withheld=2)
    assert not any(b"secret" in payload for payload in out().payloads)


def test_what_is_written_while_redactors_run_costs_nothing(redacting: Redacting) -> None:
    """A write that began before the span had ended, in a thread that goes on after that."""
    late: list[ragvigil.Answer] = []

    def slow(text: str) -> str:
        for answer in late:
            assert answer.rare is not None
            number = len(answer.fields)
            answer.fields[f"late {number}"] = 5
            answer.rare.set_attribute(f"late {number}", 5)
            if len(answer.rare.events) < 50:
                answer.rare.add_event(answer.rare.events[0])
                answer.rare.add_link(*answer.rare.links[0])
        return without_secret(text)

    out = redacting(redactors=[slow])
    with ragvigil.pipeline("other") as other:
        pass
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="a secret", answer="another secret")
        answer.set_attributes({"first": "secret", "second": "secret too"})
        answer.add_event("chosen", {"why": "secret reasons"})
        answer.add_link(other.get_span_context(), {"why": "secret link"})
    late.append(answer)
    found = out().one("ask")
    assert (found.attributes[names.INPUT_VALUE], found.attributes[names.OUTPUT_VALUE]) == ("a -", "another -")
    assert (found.attributes["first"], found.attributes["second"]) == ("-", "- too")
    assert ragvigil.counts().dropped == 0
    assert not any(b"secret" in payload for payload in out().payloads)


def test_bytes_are_looked_at_and_stay_what_they_are(redacting: Redacting) -> None:
    out = redacting(redactors=[lambda text: text.replace("secret", "\ud800")])
    with ragvigil.stage("mine") as stage:
        stage.set_attributes({"binary": b"\xff\x00\xfe", "text": b"\xff secret", "nested": [[b"secret"], "secret", 5]})
    found = out().one("mine").attributes
    assert found["binary"] == b"\xff\x00\xfe"
    assert found["text"] == b"? ?"
    assert found["nested"] == [[b"?"], "?", 5]


def test_a_redactor_that_hangs_holds_up_no_request_and_what_does_not_fit_is_counted(
    redacting: Redacting, wait_for: WaitFor
) -> None:
    begun, released = threading.Event(), threading.Event()

    def hang(text: str) -> str:
        begun.set()
        assert released.wait(60)
        return without_secret(text)

    out = redacting(redactors=[hang], max_queue_traces=5)
    ask()
    assert not ragvigil.flush(timeout_s=0.01)
    wait_for(begun.is_set)
    for _ in range(20):
        ask()
    assert ragvigil.counts().dropped == 15
    released.set()
    assert len(out().named("ask")) == 6


class RetryingExporter(KeepingExporter):
    """Takes what it is given at the third attempt."""

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        if signal is Signal.TRACES and len(self.payloads) < 2:
            self.payloads.append(payload)
            return Delivery(Outcome.RETRY, retry_after_s=0.0)
        return super().export(signal, payload)


def test_what_is_sent_again_is_redacted_once(redacting: Redacting, wait_for: WaitFor) -> None:
    calls: list[str] = []

    def counting(text: str) -> str:
        calls.append(text)
        return f"{len(calls)}{without_secret(text)}"

    exporter = RetryingExporter()
    redacting(redactors=[counting], exporter=exporter)
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="a secret", user_id="u-1")
    ragvigil.flush(timeout_s=0.01)
    wait_for(lambda: exporter.spans)
    assert calls == ["a secret"]
    assert len(set(exporter.payloads[:3])) == 1
    assert exporter.spans[0].attributes[names.INPUT_VALUE] == "1a -"


def test_redaction_starts_anew_in_another_configuration(redacting: Redacting) -> None:
    redacting(redactors=[without_secret])
    out = redacting()
    ask()
    assert out().one("ask").attributes[names.INPUT_VALUE] == "a secret"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("a" * MAX_TEXT, "a" * MAX_TEXT),
        ("a" * (MAX_TEXT + 1), "a" * (MAX_TEXT - MARGIN - LONGEST_WORD + 1)),
        ("问" * (MAX_TEXT + 1), "问" * (MAX_TEXT - MARGIN)),
        ("a " * (MAX_TEXT // 2 - 2) + "a secret", "a " * ((MAX_TEXT - MARGIN) // 2)),
    ],
    ids=["empty", "longest", "longer", "longer without spaces", "cut in the middle of a secret"],
)
def test_a_long_text_is_cut_and_loses_its_end(text: str, expected: str) -> None:
    counters = Counters()
    assert Texts([without_secret], counters).redacted(text) == expected
    assert counters.read().redaction.cut == (len(text) > MAX_TEXT)


def test_a_redactor_that_makes_texts_longer_is_bounded() -> None:
    grown = Texts([lambda text: text * 1000], Counters()).redacted("abc" * 1000)
    assert grown is not None
    assert len(grown) < MAX_TEXT


@pytest.mark.parametrize(
    ("beside", "left"),
    [
        ("a" * MARGIN, " whole"),
        ("a" * (MARGIN - 1) + " ", " whole"),
        ("a" * (MARGIN - 1), "whole"),
        ("a " * (MARGIN // 2 - 1) + "half-" * 50, " whole"),
        ("问" * (MARGIN + 1), "问 whole"),
        ("a" * (MARGIN + LONGEST_WORD + 10), "a" * 11 + " whole"),
        ("a" * 50, ""),
    ],
    ids=["word", "before a space", "space in the margin", "long word", "without spaces", "longest word", "short"],
)
def test_a_part_of_a_text_loses_what_is_beside_the_cut(beside: str, left: str) -> None:
    texts = Texts([str], Counters())
    part = beside if not left else f"{beside} whole"
    assert texts.redacted(part, begins_cut=True) == left
    assert texts.redacted(part[::-1], ends_cut=True) == left[::-1]
    assert texts.redacted(part, begins_cut=True, ends_cut=True) == ""


def jwt(claims: object) -> str:
    """A token of more than 1,000 characters, most of which are claims that anybody can read."""
    encoded = base64.urlsafe_b64encode(json.dumps(claims).encode()).rstrip(b"=").decode()
    return f"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.{encoded}.{'A' * 43}"


@pytest.mark.parametrize("kept", range(43, 1100, 97))
def test_nothing_of_a_token_is_left_where_a_stack_trace_was_cut(redacting: Redacting, kept: int) -> None:
    token = jwt({"roles": ["admin"] * 70, "email": "carol@example.com"})
    frame = "".join(traceback.format_exception(ValueError("")))
    padding = "z " * ((LONGEST_STACKTRACE - kept - len(frame)) // 2)
    out = redacting(redactors=[common()])
    with pytest.raises(ValueError, match="eyJ"), ragvigil.stage("mine"):
        raise ValueError(f"{token} {padding}")
    (event,) = out().one("mine").events
    stack = str(event.attributes[names.EXCEPTION_STACKTRACE])
    assert stack.endswith("z z \n")
    assert len(stack) > LONGEST_STACKTRACE - 1300
    assert re.search("[A-Za-z0-9_-]{12,}", stack) is None
    assert token[-kept:] not in str(out().payloads)


def test_nothing_of_a_password_is_left_where_a_document_was_cut(redacting: Redacting) -> None:
    address = "postgres://app:" + "Xy7-" * 70 + "@db.example/shop"
    out = redacting(redactors=[common()])
    with ragvigil.stage("retrieve") as stage:
        stage.outputs(["a"], texts=["z " * ((LONGEST_TEXT - 280) // 2) + address])
    text = out().one("retrieve").attributes[f"{names.RETRIEVAL_DOCUMENTS}.0.{names.DOCUMENT_CONTENT}"]
    assert str(text).endswith("z z ")
    assert len(str(text)) == LONGEST_TEXT - 280


def test_without_redactors_a_text_is_not_touched() -> None:
    text = "a" * (MAX_TEXT + 1)
    assert Texts([], Counters()).redacted(text, ends_cut=True) is text


def test_a_slow_redactor_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    readings = iter([0.0, 1.5, 2.0, 2.1, 3.0, 9.0])
    texts = Texts([str.upper], Counters(), monotonic_s=lambda: next(readings))
    with caplog.at_level(logging.WARNING):
        assert [texts.redacted("a") for _ in range(3)] == ["A", "A", "A"]
    assert caplog.text.count("took longer than 1 s") == 1


def test_the_counts_are_reported(redacting: Redacting) -> None:
    out = redacting(redactors=[without_secret])
    ask()
    reported = [log for log in out().logs if log.event_name == names.EVENT_PROCESS_COUNTS][-1].attributes
    assert {
        outcome: reported[f"{names.REDACTION_COUNT_PREFIX}{outcome}"] for outcome in ("changed", "cut", "withheld")
    } == {
        "changed": 1,
        "cut": 0,
        "withheld": 0,
    }


def test_a_part_of_a_filter_is_no_list_of_texts(redacting: Redacting) -> None:
    seen: list[str] = []

    def redact(text: str) -> str:
        seen.append(text)
        return text

    out = redacting(redactors=[redact])
    misplaced: Any = eq("tenant", "acme")
    ask(misplaced)
    assert names.INPUT_VALUE not in out().one("ask").attributes
    assert "tenant" not in seen
