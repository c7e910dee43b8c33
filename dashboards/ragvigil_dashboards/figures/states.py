"""States as a symbol, a word and a tone: never by colour alone."""

from dataclasses import dataclass

from ragvigil_dashboards.markup import Markup, tag


@dataclass(frozen=True, slots=True)
class Look:
    """How a state looks. `tone` is a CSS class: bad, warn, good, calm. `rank` sorts, worst first."""

    symbol: str
    word: str
    tone: str
    rank: int


GUARDRAIL = {
    "breach": Look("▲", "Breach", "bad", 0),
    "no_data": Look("○", "No data", "warn", 1),
    "inconclusive": Look("?", "Inconclusive", "warn", 2),
    "no_power": Look("≈", "Too few answers", "calm", 3),
    "insufficient_baseline": Look("∅", "Too little history", "warn", 4),
    "warming_up": Look("…", "Warming up", "calm", 5),
    "ok": Look("✓", "OK", "good", 6),
    "unguarded": Look("·", "No limit set", "calm", 7),
}

ALERT = {
    "firing": Look("▲", "Firing", "bad", 0),
    "acknowledged": Look("◆", "Acknowledged", "warn", 1),
    "silenced": Look("◇", "Silenced", "calm", 2),
    "resolved": Look("✓", "Resolved", "good", 3),
}


def look(state: str, known: dict[str, Look]) -> Look:
    """The look of a state; one that this version does not know keeps its name and stands out."""
    return known.get(state, Look("!", state.replace("_", " "), "warn", 1))


def pill(shown: Look) -> Markup:
    """Symbol and word in the state's tone."""
    return tag("span", tag("span", shown.symbol, aria_hidden="true"), f" {shown.word}", class_=f"rv-pill {shown.tone}")
