"""A retrieval filter in words that a person reads at night."""

from ragvigil.predicates import PredicateError, words

UNKNOWN = "unknown filter"


def filter_in_words(state: str | None, ast: str | None, clauses: str | None) -> list[str]:
    """One phrase a clause, with its role; nothing where there was no filter; an unreadable one is unknown."""
    if state is None or state == "none":
        return []
    if ast is None:
        return [UNKNOWN]
    try:
        return words(ast, clauses)
    except PredicateError:
        return [UNKNOWN]
