import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.demo.words import different_words, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How do I parse JSON?", ["parse", "json"]),
        ("json.JSONDecoder.raw_decode", ["json", "jsondecoder", "raw", "decode"]),
        ("readLines of the files", ["read", "line", "file"]),
        ("class gas uses", ["class", "gas", "use"]),
        ("", []),
        ("?!… 12 ∑", []),
    ],
    ids=["question", "identifier", "camel case", "plural", "empty", "no words"],
)
def test_splits(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(st.text())
def test_takes_any_text(text: str) -> None:
    assert all(word == word.lower() and word.isascii() for word in words(text))


def test_each_word_once_in_the_order_of_the_text() -> None:
    assert different_words("read the file, read a File again and read files") == ["read", "file", "again"]


@given(st.text())
def test_different_words_are_the_words_without_repetition(text: str) -> None:
    once = different_words(text)
    assert len(set(once)) == len(once)
    assert set(once) == set(words(text))
