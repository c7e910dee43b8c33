"""The two kinds of items that people review."""

from enum import StrEnum


class Kind(StrEnum):
    """What is asked: whether documents carry an `answer`, or for `relevance` which of them are relevant."""

    ANSWER = "answer"
    RELEVANCE = "relevance"
