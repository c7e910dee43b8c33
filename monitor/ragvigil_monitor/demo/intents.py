"""What people ask: intents with question templates over the corpus, and what each question is about."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from random import Random

from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.dice import dice

_TASK = re.compile(r"[A-Z][a-z]+ [^(>]{12,}$")
_ERROR = re.compile(r"\b[A-Z][A-Za-z]*(?:Error|Exception)\b")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, its intent, and the entries that it is about (known to the simulation only)."""

    text: str
    intent: str
    about: tuple[str, ...]


Ask = Callable[[Entry, Random], str]


@dataclass(frozen=True, slots=True)
class Intent:
    """One kind of question: its share of traffic, the entries it can be about, and its wording."""

    name: str
    share: float
    fits: Callable[[Entry], bool]
    ask: Ask


def _short_id(entry: Entry) -> str:
    """The id without its module; of a module, its whole id."""
    return entry.id.removeprefix(f"{entry.module}.")


def _lookup(entry: Entry, rng: Random) -> str:
    forms = (
        f"What does the {entry.kind} {_short_id(entry)} do in the {entry.package} module?",
        f"Please explain {_short_id(entry)} from the {entry.package} module.",
        f"What is {entry.id} good for?",
    )
    return rng.choice(forms)


def _says_what_it_does(entry: Entry) -> bool:
    """Whether the summary is a task, such as "Return the mean", and not a signature."""
    return entry.kind in ("function", "method") and _TASK.match(entry.summary) is not None


def _how_to(entry: Entry, rng: Random) -> str:
    task = " ".join(entry.summary.rstrip(".").split()[:12])
    forms = (
        f"How do I {task[0].lower()}{task[1:]}?",
        f"I want to {task[0].lower()}{task[1:]}. What do I call?",
        f"How do I {task[0].lower()}{task[1:]} with {entry.package}?",
    )
    return rng.choice(forms)


def _arguments(entry: Entry, rng: Random) -> str:
    forms = (
        f"Which args does {entry.id} take?",
        f"Which arguments can I pass to the {entry.kind} {_short_id(entry)} of {entry.package}?",
    )
    return rng.choice(forms)


def _failure(entry: Entry, rng: Random) -> str:
    error = rng.choice(_ERROR.findall(entry.text))
    return f"When does {_short_id(entry)} in the {entry.package} module raise {error}?"


def _overview(entry: Entry, rng: Random) -> str:
    forms = (f"What is the {entry.id} module for?", f"pls give me an overview of the {entry.id} module")
    return rng.choice(forms)


def _usage(entry: Entry, rng: Random) -> str:
    forms = (
        f"Is there an example of {_short_id(entry)} from {entry.package}?",
        f"Show me how {entry.id} is used, please.",
    )
    return rng.choice(forms)


INTENTS = (
    Intent("lookup", 0.30, lambda entry: entry.kind != "module", _lookup),
    Intent("how_to", 0.26, _says_what_it_does, _how_to),
    Intent("arguments", 0.14, lambda entry: entry.kind in ("function", "method"), _arguments),
    Intent("failure", 0.12, lambda entry: bool(_ERROR.search(entry.text)), _failure),
    Intent("overview", 0.10, lambda entry: entry.kind == "module", _overview),
    Intent("usage", 0.08, lambda entry: ">>>" in entry.text, _usage),
)


class Questioner:
    """Draws questions: an intent by its share, an entry by its popularity, a wording.

    Popularity falls with rank as 1 / (rank + 20), so that some questions come again and again.
    """

    def __init__(self, corpus: Sequence[Entry], *, seed: int = 0, intents: Sequence[Intent] = INTENTS) -> None:
        shuffled = dice(seed, "popularity").sample(corpus, len(corpus))
        self._intents = intents
        self._shares = list(accumulate(intent.share for intent in intents))
        self._entries = {intent.name: [entry for entry in shuffled if intent.fits(entry)] for intent in intents}
        self._weights = {name: _popularity(len(entries)) for name, entries in self._entries.items()}

    def ask(self, rng: Random, may_read: Callable[[Entry], bool]) -> Question:
        """One question; nine in ten are about something that the user may read."""
        (intent,) = rng.choices(self._intents, cum_weights=self._shares)
        entry = self._pick(intent, rng)
        if rng.random() < 0.9:
            while not may_read(entry):
                entry = self._pick(intent, rng)
        return Question(intent.ask(entry, rng), intent.name, (entry.id,))

    def _pick(self, intent: Intent, rng: Random) -> Entry:
        return rng.choices(self._entries[intent.name], cum_weights=self._weights[intent.name])[0]


def _popularity(count: int) -> list[float]:
    return list(accumulate(1 / (rank + 20) for rank in range(count)))
