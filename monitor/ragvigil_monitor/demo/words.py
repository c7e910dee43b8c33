"""How text becomes words, the same for the encoder, the reranker and the answerer."""

import re

_WORD = re.compile(r"[a-z][a-z0-9]+")
_IDENTIFIER_JOIN = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_")

_COMMON = """
a about an and are as at be been being but by can could did do does doing for from had has have how i if ideally in into
is it its me my not of on or our should so some such than that the their them then there these they this those to use
used using was we were what when where which while who why will with would you your
"""
STOP_WORDS = frozenset(_COMMON.split())
"""Words that say nothing about a subject."""


def words(text: str) -> list[str]:
    """The words of a text in order, lower case; identifiers are split at underscores and capitals."""
    spaced = _IDENTIFIER_JOIN.sub(" ", text)
    return [_stem(word) for word in _WORD.findall(spaced.lower()) if word not in STOP_WORDS]


def different_words(text: str) -> list[str]:
    """The words of a text, each once, in order; a set would add up weights in an order that differs by process."""
    return list(dict.fromkeys(words(text)))


def _stem(word: str) -> str:
    """Cut the plural, so that `files` finds `file`."""
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
