"""Which item comes next: the uniform draw has its share, kinds take turns, nothing that waits is left out."""

from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.serving import RUN, choose
from ragvigil_monitor.review.strata import STRATA, strata_of

names = [stratum.name for stratum in STRATA]
of_answers = [stratum.name for stratum in strata_of(Kind.ANSWER)]
of_retrievals = [stratum.name for stratum in strata_of(Kind.RELEVANCE)]
served_counts = st.dictionaries(st.sampled_from(names), st.integers(0, 500))


def item_of_each(waiting: list[str] | set[str]) -> dict[str, str]:
    return {name: f"item of {name}" for name in waiting}


@given(st.sets(st.sampled_from(names)), served_counts, st.integers(0, 1000))
def test_whatever_waits_is_served(waiting: set[str], served: dict[str, int], own: int) -> None:
    chosen = choose(item_of_each(waiting), served, 0.6, served_to_reviewer=own)
    assert (chosen is None) == (not waiting)
    assert chosen is None or chosen in {(item, stratum) for stratum, item in item_of_each(waiting).items()}


def test_the_uniform_draw_is_never_sacrificed() -> None:
    served = dict.fromkeys(names, 0)
    for total in range(1, 201):
        chosen = choose(item_of_each(of_answers), served, 0.6)
        assert chosen is not None
        served[chosen[1]] += 1
        assert served["uniform"] >= 0.6 * total
    assert served == {"uniform": 120, "low_confidence": 40, "thumbs_down": 40, "filter_probe": 0, "unfiltered": 0}


def test_retrievals_that_were_served_do_not_make_answers_of_the_uniform_draw_due() -> None:
    served = {"uniform": 6, "low_confidence": 4, "filter_probe": 500}
    chosen = choose(item_of_each(["uniform", "thumbs_down"]), served, 0.6)
    assert chosen is not None
    assert chosen[1] == "uniform"
    assert choose(item_of_each(["uniform", "thumbs_down"]), served | {"uniform": 8}, 0.6) == (
        "item of thumbs_down",
        "thumbs_down",
    )


def test_strata_of_retrievals_are_served_alike() -> None:
    served = dict.fromkeys(names, 0)
    for _ in range(20):
        chosen = choose(item_of_each(of_retrievals), served, 0.6)
        assert chosen is not None
        served[chosen[1]] += 1
    assert (served["filter_probe"], served["unfiltered"]) == (10, 10)


def test_kinds_take_turns_in_runs() -> None:
    served = dict.fromkeys(names, 0)
    kinds = []
    for own in range(4 * RUN):
        chosen = choose(item_of_each(names), served, 0.6, served_to_reviewer=own)
        assert chosen is not None
        served[chosen[1]] += 1
        kinds.append(chosen[1] in of_answers)
    assert kinds == ([True] * RUN + [False] * RUN) * 2


def test_while_one_kind_has_nothing_the_other_goes_on() -> None:
    for waiting in (of_answers, of_retrievals):
        for own in range(3 * RUN):
            chosen = choose(item_of_each(waiting), {}, 0.6, served_to_reviewer=own)
            assert chosen is not None
            assert chosen[1] in waiting
