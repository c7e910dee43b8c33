"""What people ask for: intents, each with its wordings over the entries of the corpus."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from ragvigil_monitor.demo.corpus import Entry

_TASK = re.compile(r"[A-Z][a-z]+ [^(>]{12,}$")
_ERROR = re.compile(r"\b[A-Z][A-Za-z]*(?:Error|Exception)\b")


Ask = Callable[[Entry, Random], str]


@dataclass(frozen=True, slots=True)
class Intent:
    """One kind of question: its share of traffic, the entries it can be about, its wording, and what that names."""

    name: str
    share: float
    fits: Callable[[Entry], bool]
    ask: Ask
    subject: Callable[[Entry], str]


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


def _task(entry: Entry) -> str:
    return " ".join(entry.summary.rstrip(".").split()[:12])


def _how_to(entry: Entry, rng: Random) -> str:
    task = _task(entry)
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
    Intent("lookup", 0.30, lambda entry: entry.kind != "module", _lookup, _short_id),
    Intent("how_to", 0.26, _says_what_it_does, _how_to, _task),
    Intent("arguments", 0.14, lambda entry: entry.kind in ("function", "method"), _arguments, _short_id),
    Intent("failure", 0.12, lambda entry: bool(_ERROR.search(entry.text)), _failure, _short_id),
    Intent("overview", 0.10, lambda entry: entry.kind == "module", _overview, _short_id),
    Intent("usage", 0.08, lambda entry: ">>>" in entry.text, _usage, _short_id),
)
