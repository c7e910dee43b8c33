"""What a band says, in one sentence with numbers. It never says that quality fell, only that behaviour changed."""

from dataclasses import dataclass

from ragvigil_monitor.signals.rate import ALL
from ragvigil_monitor.statistics.rate_band import FLAT_FROM_H, LEAST_EVENTS, RateBand, Usual

MISSED_FROM = 10.0
"""From so many usual answers on, a window without any is missing evidence rather than a quiet hour."""


@dataclass(frozen=True, slots=True)
class EventWords:
    """What happened to an answer: one `regenerate`, many `regenerates`."""

    one: str
    many: str

    def counted(self, number: int) -> str:
        """`1 regenerate`, `41 regenerates`."""
        return f"{number} {self.one if number == 1 else self.many}"


def band_sentence(words: EventWords, series: str, window_s: int, band: RateBand) -> str:
    """For example: "Behaviour changed: last 6 h: 41 regenerates of 520 answers, expected 22, limit 39."."""
    window = f"last {window_s // 3600} h{'' if series == ALL else f', {series}'}"
    usual = band.usual
    if usual is None:
        return f"{window}: {_counts(words, band)}; {_lacking(words, band)}."
    if band.state == "no_data":
        return f"{window}: no answers, {_about(usual.n)} are usual{_missing(usual)}."
    figures = f"{window}: {_counts(words, band)}, expected {_about(band.expected or 0.0)}"
    if band.state in ("above", "below"):
        limit = usual.most if band.state == "above" else usual.least
        return f"Behaviour changed: {figures}, {'limit' if band.state == 'above' else 'lower limit'} {limit}."
    return f"{figures}, {_inside(usual)}; {_power(band)}."


def _counts(words: EventWords, band: RateBand) -> str:
    return f"{words.counted(band.events)} of {band.n} {'answer' if band.n == 1 else 'answers'}"


def _lacking(words: EventWords, band: RateBand) -> str:
    if band.state == "insufficient_baseline":
        return f"only {band.history_h} h of its history are not excluded, too few to know what is usual"
    if band.history_h < FLAT_FROM_H:
        return f"warming up, {band.history_h} of {FLAT_FROM_H} h of history"
    return f"warming up, {band.history_events} of {LEAST_EVENTS} {words.many} in its history"


def _missing(usual: Usual) -> str:
    return ": missing evidence" if usual.n >= MISSED_FROM else ""


def _inside(usual: Usual) -> str:
    if usual.most is None:
        return "no limit" if usual.least is None else f"lower limit {usual.least}"
    return f"limit {usual.most}" if usual.least is None else f"limits {usual.least} and {usual.most}"


def _power(band: RateBand) -> str:
    ratio = band.detectable_ratio
    if ratio is None:
        return "too few answers to find any rise"
    return f"a rise to {ratio:.2g} times the usual would be found in every other window"


def _about(number: float) -> str:
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}"
