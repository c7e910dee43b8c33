"""Chance that can be repeated."""

from random import Random


def dice(*what: object) -> Random:
    """A generator of its own for a purpose, for example `dice(seed, "releases")`; the same in every process."""
    return Random("/".join(map(str, what)))  # noqa: S311 - a simulation, nothing to keep secret
