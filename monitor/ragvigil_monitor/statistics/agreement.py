"""Agreement of two reviewers on a yes-or-no question: Cohen's kappa and positive agreement.

With a = both yes, b and c = only one yes, d = both no, n = a + b + c + d: observed agreement o = (a + d)/n, agreement
by chance e = [(a + b)(a + c) + (c + d)(b + d)]/n², kappa = (o - e)/(1 - e). Where yes is rare, kappa and the overall
agreement say little about it; positive agreement 2a/(2a + b + c) says how far the reviewers agree on the yes.

Source: Cohen, A coefficient of agreement for nominal scales, Educ. Psych. Meas. 20 (1960); Cicchetti & Feinstein, High
agreement but low kappa II, J. Clin. Epidemiol. 43 (1990).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Agreement:
    """pairs: units that two reviewers judged. positives: those that at least one called yes.

    kappa: None without pairs, or when both always said the same one thing. positive: None without a yes.
    """

    pairs: int
    positives: int
    kappa: float | None
    positive: float | None


def agreement(pairs: Iterable[tuple[bool, bool]]) -> Agreement:
    """How far two reviewers agree; one pair of answers a unit.

    >>> agreement([(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15)
    Agreement(pairs=50, positives=35, kappa=0.4, positive=0.7272727272727273)
    >>> agreement([])
    Agreement(pairs=0, positives=0, kappa=None, positive=None)
    """
    return agreement_of_table(Counter(pairs))


def agreement_of_table(units: Mapping[tuple[bool, bool], int]) -> Agreement:
    """The same from the number of units with each pair of answers; a pair that is missing is of none.

    >>> agreement_of_table({(True, True): 20, (True, False): 5, (False, True): 10, (False, False): 15}).kappa
    0.4
    """
    both, first_only, second_only, neither = (
        units.get(pair, 0) for pair in ((True, True), (True, False), (False, True), (False, False))
    )
    n, firsts, seconds = both + first_only + second_only + neither, both + first_only, both + second_only
    alike = both + neither
    return Agreement(n, firsts + seconds - both, _kappa(n, alike, firsts, seconds), _positive(both, firsts + seconds))


def _kappa(n: int, alike: int, firsts: int, seconds: int) -> float | None:
    by_chance = firsts * seconds + (n - firsts) * (n - seconds)
    return None if by_chance == n * n else (alike * n - by_chance) / (n * n - by_chance)


def _positive(both: int, said: int) -> float | None:
    return 2 * both / said if said else None
