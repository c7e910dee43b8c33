"""Draws questions, and knows what each is about, which nobody else does."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random
from typing import Protocol

from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.intents import INTENTS, Intent
from ragvigil_monitor.demo.wishes import with_wish

MayRead = Callable[[Entry], bool]


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its intent, and the entries that it is about (known to the simulation only)."""

    text: str
    intent: str
    about: tuple[str, ...]


class Asker(Protocol):
    """Whoever has questions about a corpus."""

    def only_about(self, package: str) -> "Asker":
        """Somebody who asks about one package."""
        ...

    def ask(self, rng: Random, may_read: MayRead) -> Question:
        """One question."""
        ...


class Questioner:
    """Draws questions: an intent by its share, an entry by its popularity, a wording.

    Popularity falls with rank as 1 / (rank + 20), so that some questions come again and again.
    """

    def __init__(self, corpus: Sequence[Entry], *, seed: int = 0, intents: Sequence[Intent] = INTENTS) -> None:
        shuffled = dice(seed, "popularity").sample(corpus, len(corpus))
        fitting = {intent.name: [entry for entry in shuffled if intent.fits(entry)] for intent in intents}
        self._corpus = corpus
        self._narrow: dict[str, Questioner] = {}
        self._intents = [intent for intent in intents if fitting[intent.name]]
        self._shares = list(accumulate(intent.share for intent in self._intents))
        self._entries = fitting
        self._weights = {name: _popularity(len(entries)) for name, entries in fitting.items()}
        self._alike = {intent.name: _by_subject(intent, fitting[intent.name]) for intent in self._intents}

    def only_about(self, package: str) -> "Questioner":
        """One who asks about one package; made once."""
        if package not in self._narrow:
            self._narrow[package] = Questioner([entry for entry in self._corpus if entry.package == package])
        return self._narrow[package]

    def ask(self, rng: Random, may_read: MayRead) -> Question:
        """One question; nine in ten are about something that the user may read."""
        (intent,) = rng.choices(self._intents, cum_weights=self._shares)
        entry = self._pick(intent, rng)
        if rng.random() < 0.9:
            while not may_read(entry):
                entry = self._pick(intent, rng)
        wording = rng.getrandbits(64)
        text = intent.ask(entry, dice(wording))
        return Question(with_wish(text, entry, rng), intent.name, self._about(intent, entry, wording, text))

    def _about(self, intent: Intent, entry: Entry, wording: int, text: str) -> tuple[str, ...]:
        """The entry, then all others that would have been asked for in the same words."""
        alike = self._alike[intent.name][intent.subject(entry)]
        return (entry.id, *(e.id for e in alike if e is not entry and intent.ask(e, dice(wording)) == text))

    def _pick(self, intent: Intent, rng: Random) -> Entry:
        return rng.choices(self._entries[intent.name], cum_weights=self._weights[intent.name])[0]


def _by_subject(intent: Intent, entries: Sequence[Entry]) -> dict[str, list[Entry]]:
    alike: defaultdict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        alike[intent.subject(entry)].append(entry)
    return dict(alike)


def _popularity(count: int) -> list[float]:
    return list(accumulate(1 / (rank + 20) for rank in range(count)))
