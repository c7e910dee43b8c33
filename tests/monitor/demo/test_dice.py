from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.seeded_ids import SeededIds


def test_the_same_purpose_gives_the_same_numbers_in_every_process() -> None:
    assert dice(7, "releases").random() == dice(7, "releases").random()
    assert round(dice(7, "releases").random(), 6) == 0.605344


def test_another_seed_or_purpose_gives_others() -> None:
    drawn = {dice(*what).random() for what in ((7, "a"), (8, "a"), (7, "b"), (7, "a", 1))}
    assert len(drawn) == 4


def test_ids_repeat_with_the_seed_and_not_within_a_run() -> None:
    one, two, other = SeededIds(1), SeededIds(1), SeededIds(2)
    traces = [one.generate_trace_id() for _ in range(1000)]
    assert traces == [two.generate_trace_id() for _ in range(1000)]
    assert len(set(traces)) == 1000
    assert other.generate_trace_id() not in traces
    assert all(0 < one.generate_span_id() < 2**64 for _ in range(1000))
