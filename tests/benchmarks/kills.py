"""Apps killed by SIGKILL at random moments while the receiver is up, down or flapping: what was lost, what doubled.

usage: python tests/benchmarks/kills.py [--json] [--kills N] [--seed N]

confirmed: answers for which a flush had returned True. lost: of these, not in the store of a real monitor afterwards.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.samples.killed_apps import STATES, ReceiverState, kill_apps


def figures(state: ReceiverState, kills: int, seed: int) -> dict[str, int]:
    """Kill so many apps and count."""
    with tempfile.TemporaryDirectory() as folder:
        after = kill_apps(state, kills, seed, Path(folder))
    return {
        "kills": kills,
        "confirmed": len(after.confirmed),
        "lost": len(after.lost),
        "stored": len(after.stored),
        "stored_twice": len(after.stored) - len(set(after.stored)),
    }


def main() -> int:
    """Measure and print; 1 when something confirmed was lost or stored twice."""
    parser = argparse.ArgumentParser(description="What killed apps lose.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--kills", type=int, default=100, help="kills a state of the receiver")
    parser.add_argument("--seed", type=int, default=4, help="of the moments")
    wanted = parser.parse_args()
    found = {state: figures(state, wanted.kills, wanted.seed) for state in STATES}
    if wanted.json:
        print(json.dumps(found))
    else:
        for state, counted in found.items():
            print(f"{state:10}", "  ".join(f"{name} {number}" for name, number in counted.items()))
    return any(counted["lost"] or counted["stored_twice"] for counted in found.values())


if __name__ == "__main__":
    sys.exit(main())
