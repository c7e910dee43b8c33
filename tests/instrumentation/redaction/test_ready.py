"""The ready redactor as a whole: kinds, cost, ordinary text, hostile text."""

import gzip
import itertools
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragvigil.redaction import common

DATA = Path(os.environ.get("RAGVIGIL_SHARED_DATA", Path(__file__).parents[4] / "shared/data"))
MIXED = "ask jane@example.com or +49 30 901820; card 4111 1111 1111 1111, password=hunter22"


def test_all_kinds_by_default() -> None:
    assert common()(MIXED) == "ask [e-mail] or [phone]; card [card], password=[secret]"


@pytest.mark.parametrize("kind", ["email", "phone", "card", "secret"])
def test_a_kind_alone(kind: str) -> None:
    placeholder = {"email": "[e-mail]"}.get(kind, f"[{kind}]")
    replaced = common(kind)(MIXED)  # type: ignore[arg-type]
    assert placeholder in replaced
    assert replaced.count("[") == 1


def test_a_kind_that_there_is_not_is_refused() -> None:
    with pytest.raises(ValueError, match="kinds: got 'iban'; expected some of secret, email, card, phone"):
        common("iban")  # type: ignore[arg-type]


PIECES = st.sampled_from(
    [
        "@",
        ".",
        "example.com",
        "jane",
        "4111 1111",
        " 1111 1111 ",
        "+49",
        "030 1234567",
        "token",
        "=",
        ": ",
        "sk-",
        "eyJ",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "://",
        "(",
        ")",
        "\ud800",
        "\x00",
        "邮",
        "٣",
        " ",
        "\n",
        '"',
    ]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(st.characters(), max_size=10)), max_size=30).map("".join)


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS)
def test_whatever_is_around_them_they_do_not_pass(before: str, after: str) -> None:
    """Set off by a line of its own: what stands directly beside may make something else of it."""
    replaced = common()(f"{before}\n\njane.doe@example.com , +49 30 901820 ; AKIA{'Q1W2E3R4' * 2}\n\n{after}")
    assert not [
        secret for secret in ("jane.doe", "901820", "Q1W2") if secret in replaced and secret not in before + after
    ]


HOSTILE = {
    "letters": "a",
    "names": "a.",
    "ats": "@",
    "names and ats": "a@",
    "addresses": "a@b.c@",
    "dots after": "a@b" + ".c" * 9,
    "unspaced": "邮",
    "quotes": '"',
    "digits": "1",
    "digits apart": "4 ",
    "zeros": "0 ",
    "plus": "+",
    "plus digits": "+1",
    "brackets": "(",
    "bracketed": "(030) ",
    "separators": "1   ",
    "pairs": "01.",
    "cards": "4111 ",
    "names of keys": "token",
    "assigned": "key=",
    "spaces": "password ",
    "quoted": "key'''",
    "web tokens": "eyJaaaaaaaa.",
    "web token": "eyJ",
    "prefixes": "sk-",
    "key ids": "AKIA",
    "begins": "-----BEGIN PRIVATE KEY-----",
    "ends": "-----END PRIVATE KEY-----",
    "base64 and ends": "abcd\n-----END PRIVATE KEY-----",
    "dashes": "-",
    "addresses with passwords": "://a:",
    "bearer": "bearer ",
    "long words": "bearer aaaaaaaaaaaaaaaaaaaaaaaa ",
    "dotted capitals": "İ",
    "mixed": MIXED,
}


def seconds(text: str) -> float:
    began = time.process_time()
    common()(text)
    return time.process_time() - began


@pytest.mark.parametrize("unit", HOSTILE.values(), ids=HOSTILE.keys())
def test_time_is_linear_up_to_a_megabyte(unit: str) -> None:
    """Eight times the text may take 24 times as long; what is quadratic takes 64 times as long."""
    shorter, longer = (unit * (length // len(unit)) + "!" for length in (125_000, 1_000_000))
    assert seconds(longer) < 24 * max(min(seconds(shorter), seconds(shorter)), 0.001)


def real_texts() -> Iterator[str]:
    columns = {"passages": ("text", "title"), "questions": ("question", "answer"), "intents": ("text",)}
    for name, keys in columns.items():
        with gzip.open(DATA / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                yield from (row[key] for key in keys)


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no real text in {DATA}; RAGVIGIL_SHARED_DATA names a folder with some")
def test_ordinary_text_is_not_destroyed() -> None:
    """Of 32,280 texts in three languages, which hold nothing of the kind, at most one in 10,000 changes."""
    redact = common()
    texts = list(real_texts())
    changed = [text for text in texts if redact(text) != text]
    assert len(texts) > 30_000
    assert len(changed) <= len(texts) / 10_000, list(itertools.islice(changed, 5))
