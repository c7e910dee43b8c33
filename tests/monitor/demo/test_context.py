from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.demo.context import BUDGET_TOKENS, assemble
from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.index import Hit
from ragvigil_monitor.demo.pricing import count_tokens


def entry(name: str, characters: int) -> Entry:
    return Entry(name, "x" * characters, "p", "p", "function")


@given(st.lists(st.integers(80, 12_000), max_size=8))
def test_stays_inside_its_budget_and_in_order(lengths: list[int]) -> None:
    entries = {f"d{number}": entry(f"d{number}", length) for number, length in enumerate(lengths)}
    context = assemble([Hit(name, 1.0, "", {}) for name in entries], entries)
    assert context.tokens <= BUDGET_TOKENS
    assert [one.id for one in context.entries] == list(entries)[: len(context.entries)]
    assert bool(context.entries) == bool(lengths)
    fits = sum(count_tokens(one.text) for one in entries.values()) < BUDGET_TOKENS
    assert context.truncated == (not fits)


def test_nothing_found_is_an_empty_context() -> None:
    context = assemble([], {})
    assert (context.entries, context.tokens, context.truncated) == ((), 0, False)
