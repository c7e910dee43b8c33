"""What askers would like besides an answer: a kind of thing, which is a wish and no condition."""

from random import Random

from ragvigil_monitor.demo.corpus import Entry

SHARE = 0.25
"""Share of the questions that begin with a wish."""
KINDS = ("class", "function", "method")


def with_wish(question: str, entry: Entry, rng: Random) -> str:
    """The question, sometimes after a wish for another kind of thing than there is."""
    is_wished, kind = rng.random() < SHARE, rng.choice([kind for kind in KINDS if kind != entry.kind])
    return f"Ideally a {kind}. {question}" if is_wished else question
