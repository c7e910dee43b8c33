"""Which of the waiting items a reviewer is given next."""

from collections.abc import Mapping
from typing import Final

from ragvigil_monitor.review.kinds import Kind
from ragvigil_monitor.review.strata import STRATA, UNIFORM, strata_of

RUN: Final = 10
"""How many items of one kind a reviewer gets in a row who did not ask for a kind: changing the task costs thought."""

_KIND_OF: Final = {stratum.name: stratum.kind for stratum in STRATA}


def choose(
    waiting: Mapping[str, str], served: Mapping[str, int], uniform_share: float, *, served_to_reviewer: int = 0
) -> tuple[str, str] | None:
    """Item and stratum to serve; None while nothing waits.

    Answers and retrievals take turns, RUN of each; while one kind has nothing, the other goes on. Among answers the
    uniform stratum comes first until it has its share, else the least served stratum of the kind.
    waiting: the next item of each stratum that has one. served: how many each got since midnight, served_to_reviewer
    how many this reviewer got.
    """
    kinds = {_KIND_OF[name] for name in waiting}
    if not kinds:
        return None
    turn = Kind.ANSWER if served_to_reviewer // RUN % 2 == 0 else Kind.RELEVANCE
    stratum = _stratum(turn if turn in kinds else kinds.pop(), waiting, served, uniform_share)
    return waiting[stratum], stratum


def _stratum(kind: Kind, waiting: Mapping[str, str], served: Mapping[str, int], uniform_share: float) -> str:
    names = [stratum.name for stratum in strata_of(kind)]
    others = [name for name in names if name in waiting and name != UNIFORM]
    total = sum(served.get(name, 0) for name in names)
    due = served.get(UNIFORM, 0) < uniform_share * (total + 1)
    if UNIFORM in names and UNIFORM in waiting and (due or not others):
        return UNIFORM
    return min(others, key=lambda name: served.get(name, 0))
