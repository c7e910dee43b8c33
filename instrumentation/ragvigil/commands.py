"""The shape of a command that a package adds to `ragvigil` through the entry-point group `ragvigil.commands`."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

GROUP: Final = "ragvigil.commands"


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand.

    The module that holds it imports nothing heavy: `configure` adds arguments, `run` imports what it needs and
    returns the exit status. `extra` names what must be installed for `run`, for example "monitor".
    """

    help: str
    configure: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]
    extra: str = "monitor"
