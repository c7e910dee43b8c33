"""How sure a triage is: `python -m tests.simulations` prints what docs/guardrails.md quotes, in about a minute."""

from itertools import product

from tests.simulations.onsets import Incident, Origin, World, coverage, shares

TIMES, SEED = 400, 1
WORLDS = {
    "chance only": World(),
    "correlated hours": World(correlation=0.01),
    "wandering rate": World(correlation=0.003, wandering=0.15),
}
ORIGINS: tuple[Origin, ...] = ("a release", "no release near", "no release")
AGES_H = (0, 24, 72)
VERDICTS = ("no onset", "regression-suspected", "undetermined", "drift-suspected")


def main() -> None:
    """Print one line a world, incident and age of the alert."""
    print(f"{'traffic':17} {'origin':16} {'× rate':6} {'age':6}", *(f"{verdict:>20}" for verdict in VERDICTS))
    for (name, world), age_h, ratio in product(WORLDS.items(), AGES_H, (1.5, 2.0, 4.0)):
        for origin in ORIGINS:
            _print(name, world, Incident(origin, ratio, age_h))
    for (name, world), age_h in product(WORLDS.items(), AGES_H):
        _print(name, world, Incident("no step", 1.0, age_h))
    for (name, world), age_h in product(WORLDS.items(), AGES_H):
        held = coverage(world, Incident("no release", 2.0, age_h), times=TIMES, seed=SEED)
        print(f"interval of 80 %, rate × 2, {name}, {age_h} h: holds the step in {held:.0%}")


def _print(name: str, world: World, incident: Incident) -> None:
    found = shares(world, incident, times=TIMES, seed=SEED)
    figures = (f"{found.get(verdict, 0.0):>20.0%}" for verdict in VERDICTS)
    age = f"{incident.age_h} h"
    print(f"{name:17} {incident.origin:16} {incident.ratio:<6g} {age:6}", *figures)


main()
