"""The share of traces: exact on average, nested, the same everywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from ragvigil_monitor.phoenix.links import trace_url
from ragvigil_monitor.phoenix.share import is_in_share
from ragvigil_monitor.settings import Phoenix

IDS = [number.to_bytes(16) for number in range(20_000)]
BASE = "http://phoenix:6006"


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5])
def test_the_share_is_what_was_asked_for_even_of_ids_that_are_not_random(share: float) -> None:
    taken = sum(is_in_share(trace_id, share) for trace_id in IDS)
    assert binomtest(taken, len(IDS), share).pvalue > 0.001


@given(st.binary(min_size=16, max_size=16), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_holds_every_trace_of_a_smaller_one(trace_id: bytes, one: float, other: float) -> None:
    assert is_in_share(trace_id, max(one, other)) or not is_in_share(trace_id, min(one, other))


@given(st.binary(min_size=16, max_size=16))
def test_all_and_nothing(trace_id: bytes) -> None:
    assert is_in_share(trace_id, 1.0)
    assert not is_in_share(trace_id, 0.0)


def test_the_choice_stays_the_same_over_versions() -> None:
    assert [number for number in range(40) if is_in_share(number.to_bytes(16), 0.1)] == [1, 6, 20, 25]


def test_only_a_trace_that_was_sent_has_a_link() -> None:
    settings = Phoenix(url=f"{BASE}/", share=0.1)
    sent = [number for number in range(40) if trace_url(settings, number.to_bytes(16))]
    assert sent == [number for number in range(40) if is_in_share(number.to_bytes(16), 0.1)]
    assert trace_url(settings, sent[0].to_bytes(16)) == f"{BASE}/redirects/traces/{sent[0]:032x}"


def test_links_use_the_address_for_browsers() -> None:
    settings = Phoenix(url=BASE, public_url="https://traces.example.org/phoenix/", share=1)
    assert trace_url(settings, bytes(16)) == f"https://traces.example.org/phoenix/redirects/traces/{'0' * 32}"


def test_without_phoenix_there_is_no_link() -> None:
    assert trace_url(Phoenix(share=1), bytes(16)) is None
    assert trace_url(Phoenix(public_url=BASE, share=1), bytes(16)) is None
