"""The bounded queue: never larger than allowed, every span counted exactly once."""

from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.phoenix.picking import Picked
from ragvigil_monitor.phoenix.waiting import ForwardCounts, Waiting


def request(number: int, size: int = 10, spans: int = 1) -> Picked:
    return Picked(bytes([number]) * size, spans)


def taken(waiting: Waiting) -> list[int]:
    waiting.stop()
    numbers = []
    while (picked := waiting.take()) is not None:
        numbers.append(picked.body[0])
        waiting.settle(forwarded=picked.spans)
    return numbers


def test_requests_come_out_in_order() -> None:
    waiting = Waiting(10, 1000)
    for number in range(3):
        waiting.put(request(number))
    assert taken(waiting) == [0, 1, 2]
    assert waiting.counts() == ForwardCounts(forwarded=3)


def test_the_oldest_makes_room_for_the_newest() -> None:
    by_number, by_size = Waiting(2, 1000), Waiting(10, 25)
    for waiting in (by_number, by_size):
        for number in range(4):
            waiting.put(request(number, spans=5))
        assert waiting.counts() == ForwardCounts(waiting=10, dropped=10)
        assert taken(waiting) == [2, 3]


def test_a_request_larger_than_all_room_is_dropped() -> None:
    waiting = Waiting(10, 100)
    waiting.put(request(1, size=101, spans=7))
    assert waiting.counts() == ForwardCounts(dropped=7)


def test_what_is_under_way_is_not_pushed_out() -> None:
    waiting = Waiting(1, 1000)
    waiting.put(request(0))
    assert waiting.take() == request(0)
    waiting.put(request(1))
    assert waiting.counts() == ForwardCounts(waiting=2)
    waiting.settle(forwarded=1)
    assert waiting.counts() == ForwardCounts(forwarded=1, waiting=1)


def test_what_is_given_back_waits_behind_all_others() -> None:
    waiting = Waiting(10, 1000)
    for number in range(3):
        waiting.put(request(number))
    first = waiting.take()
    assert first is not None
    waiting.give_back(first)
    assert taken(waiting) == [1, 2, 0]


def test_what_is_given_back_to_a_full_queue_pushes_out_the_oldest() -> None:
    waiting = Waiting(1, 1000)
    waiting.put(request(0))
    first = waiting.take()
    assert first is not None
    waiting.put(request(1, spans=3))
    waiting.give_back(first)
    assert waiting.counts() == ForwardCounts(waiting=1, dropped=3)


def test_after_the_end_everything_is_dropped_and_counted_once() -> None:
    waiting = Waiting(10, 1000)
    for number in range(3):
        waiting.put(request(number, spans=2))
    waiting.take()
    waiting.close()
    waiting.settle(forwarded=2)
    waiting.give_back(request(0, spans=2))
    waiting.put(request(4, spans=3))
    assert waiting.counts() == ForwardCounts(dropped=9)


def test_a_pause_ends_with_the_service() -> None:
    waiting = Waiting(10, 1000)
    assert waiting.pause(0.001)
    waiting.stop()
    assert not waiting.pause(3600)


@given(
    st.lists(
        st.one_of(
            st.tuples(st.integers(1, 60), st.integers(1, 9)), st.sampled_from(["take", "settle", "give back", "close"])
        )
    ),
    st.integers(1, 5),
    st.integers(1, 120),
)
def test_no_span_is_lost_or_counted_twice(steps: list[tuple[int, int] | str], most: int, most_bytes: int) -> None:
    waiting, put = Waiting(most, most_bytes), 0
    held: Picked | None = None
    for step in steps:
        if isinstance(step, tuple):
            waiting.put(request(0, *step))
            put += step[1]
        elif step == "take" and held is None and waiting.counts().waiting:
            held = waiting.take()
        elif step == "settle" and held is not None:
            waiting.settle(refused=held.spans)
            held = None
        elif step == "give back" and held is not None:
            waiting.give_back(held)
            held = None
        elif step == "close":
            waiting.close()
        counts = waiting.counts()
        assert counts.forwarded + counts.waiting + counts.dropped + counts.refused == put
        assert len(waiting._requests) <= most
        assert waiting._size <= most_bytes
