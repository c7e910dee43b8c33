import pytest

from ragvigil_monitor.guardrails.band_sentence import EventWords, band_sentence
from ragvigil_monitor.statistics.rate_band import BandState, RateBand, Usual

WORDS = EventWords("regenerate", "regenerates")


def band(
    state: BandState,
    events: int,
    n: int,
    usual: Usual | None = None,
    *,
    history_h: int = 672,
    history_events: int = 900,
) -> RateBand:
    return RateBand(state, n, events, None, None, history_h, history_events, usual)


def usual(rate: float | None = 22 / 520, *, least: int | None = 8, most: int | None = 39, n: float = 500.0) -> Usual:
    return Usual(n, rate, 0.001, least, most)


@pytest.mark.parametrize(
    ("series", "found", "expected"),
    [
        (
            *("all", band("above", 41, 520, usual())),
            "Behaviour changed: last 6 h: 41 regenerates of 520 answers, expected 22, limit 39.",
        ),
        (
            *("intent=find", band("below", 1, 520, usual())),
            "Behaviour changed: last 6 h, intent=find: 1 regenerate of 520 answers, expected 22, lower limit 8.",
        ),
        (
            *("all", band("inside", 25, 520, usual())),
            "last 6 h: 25 regenerates of 520 answers, expected 22, limits 8 and 39;"
            " a rise to 1.8 times the usual would be found in every other window.",
        ),
        (
            *("all", band("no_power", 0, 1, usual(0.04, least=None, most=None))),
            "last 6 h: 0 regenerates of 1 answer, expected 0.0, no limit; too few answers to find any rise.",
        ),
        (
            *("all", band("no_data", 0, 0, usual(None, least=None, most=None))),
            "last 6 h: no answers, 500 are usual: missing evidence.",
        ),
        (
            *("all", band("no_data", 0, 0, usual(None, least=None, most=None, n=2.5))),
            "last 6 h: no answers, 2.5 are usual.",
        ),
        (
            *("all", band("warming_up", 3, 60, history_h=48, history_events=9)),
            "last 6 h: 3 regenerates of 60 answers; warming up, 48 of 168 h of history.",
        ),
        (
            *("all", band("warming_up", 3, 60, history_events=9)),
            "last 6 h: 3 regenerates of 60 answers; warming up, 9 of 30 regenerates in its history.",
        ),
        (
            *("all", band("insufficient_baseline", 3, 60, history_h=400)),
            "last 6 h: 3 regenerates of 60 answers; only 400 h of its history are not excluded,"
            " too few to know what is usual.",
        ),
    ],
    ids=["above", "below", "inside", "no power", "missing", "quiet", "young", "few events", "excluded"],
)
def test_the_sentence_carries_the_counts_and_never_speaks_of_quality(
    series: str, found: RateBand, expected: str
) -> None:
    said = band_sentence(WORDS, series, 6 * 3600, found)
    assert said == expected
    assert "quality" not in said
