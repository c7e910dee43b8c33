"""Which traces are probed: a share, the same in every process with the key, told by nothing else."""

import random

import pytest

from ragvigil.probes.sample import ProbeSample

CHANCE = random.Random(3)
TRACES = [CHANCE.getrandbits(128) for _ in range(20_000)]


@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.5, 1.0])
def test_the_share_is_the_one_asked_for(share: float) -> None:
    sample = ProbeSample(share, b"key")
    taken = sum(sample.takes(trace) for trace in TRACES)
    spread = 4 * (len(TRACES) * share * (1 - share)) ** 0.5
    assert abs(taken - len(TRACES) * share) <= spread


def test_it_depends_on_trace_and_key_only() -> None:
    first, second, other = ProbeSample(0.2, b"key"), ProbeSample(0.2, b"key"), ProbeSample(0.2, b"another")
    taken = [first.takes(trace) for trace in TRACES]
    assert taken == [second.takes(trace) for trace in TRACES]
    assert taken != [other.takes(trace) for trace in TRACES]


def test_a_larger_share_takes_all_of_a_smaller_one() -> None:
    small, large = ProbeSample(0.1, b"key"), ProbeSample(0.3, b"key")
    assert all(large.takes(trace) for trace in TRACES if small.takes(trace))


@pytest.mark.parametrize("trace", [1, 2**128 - 1])
def test_the_ends_of_the_range(trace: int) -> None:
    assert ProbeSample(1.0, b"key").takes(trace)
    assert not ProbeSample(0.0, b"key").takes(trace)
