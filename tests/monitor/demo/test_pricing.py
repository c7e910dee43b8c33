from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.demo.pricing import Prices, Usage, count_tokens, thinking_tokens


def test_a_generation_costs_its_tokens() -> None:
    prices = Prices(input_usd=1, output_usd=4)
    assert prices.generation(Usage(input_tokens=1000, output_tokens=250)) == pytest.approx(0.002)


def test_raised_prices_raise_every_cost_alike() -> None:
    normal, raised = Prices(), Prices().raised(1.4)
    usage = Usage(800, 200)
    assert raised.generation(usage) == pytest.approx(1.4 * normal.generation(usage))
    assert raised.embedding(12) == pytest.approx(1.4 * normal.embedding(12))
    assert raised.reranking(20) == pytest.approx(1.4 * normal.reranking(20))


def test_nothing_costs_nothing() -> None:
    assert Prices().generation(Usage(0, 0)) == 0
    assert Prices().reranking(0) == 0


def test_tokens_grow_with_the_text_and_are_never_zero() -> None:
    assert count_tokens("") == 1
    assert count_tokens("x" * 400) == 101


def test_thinking_is_lognormal() -> None:
    rng = Random(1)
    thought = np.array([thinking_tokens(rng) for _ in range(4000)])
    assert np.median(thought) == pytest.approx(160, rel=0.05)
    assert np.log(thought).std() == pytest.approx(0.6, rel=0.05)


@given(
    input_tokens=st.integers(0, 10**6),
    output_tokens=st.integers(0, 10**6),
    factor=st.floats(0.1, 10),
)
def test_costs_are_linear_in_tokens_and_prices(input_tokens: int, output_tokens: int, factor: float) -> None:
    prices, usage = Prices(), Usage(input_tokens, output_tokens)
    parts = prices.generation(Usage(input_tokens, 0)) + prices.generation(Usage(0, output_tokens))
    assert prices.generation(usage) == pytest.approx(parts)
    assert prices.raised(factor).generation(usage) == pytest.approx(factor * prices.generation(usage))


@given(st.text())
def test_every_text_has_a_whole_number_of_tokens(text: str) -> None:
    assert 1 <= count_tokens(text) <= len(text) + 1
