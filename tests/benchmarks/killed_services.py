"""`ragvigil serve` killed by SIGKILL at random moments under load, also during a backup: what was lost, what doubled.

usage: python tests/benchmarks/killed_services.py [--json] [--kills N] [--seed N]

acknowledged: answers that were answered with 200. lost: of these, not in the file afterwards. unsound: 1 when an answer
is there twice or without some of its spans, or the counts say otherwise. A quarter of the kills come at a random moment
of the time that a backup takes; backups_missed: the service was gone before it was asked. interrupted: so many kills
came while the service copied, and while the copy was received. half_backups: files that looked like one and were none.
incomplete_backups: without something that was acknowledged before they were begun.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.samples.killed_services import kill_services, start_command

BACKUP_MIB = 32
"""So large that most kills come in the middle of one."""


def figures(kills: int, seed: int, backup_mib: int) -> dict[str, int]:
    """Kill so many services and count."""
    with tempfile.TemporaryDirectory() as folder:
        after = kill_services(kills, seed, Path(folder), start_command, backup_mib=backup_mib)
    return {
        "kills": kills,
        "acknowledged": len(after.acknowledged),
        "lost": len(after.lost),
        "never_sent": len(after.never_sent),
        "unsound": int(not after.stored.is_sound),
        "backups_taken": after.backups.taken,
        "backups_missed": after.backups.missed,
        "interrupted_while_copied": after.backups.while_copied,
        "interrupted_while_received": after.backups.while_received,
        "half_backups": after.backups.half + len(after.leftovers),
        "incomplete_backups": after.backups.incomplete,
    }


def is_wrong(found: dict[str, int]) -> bool:
    """Whether anything is there that must not be."""
    faults = ("lost", "never_sent", "unsound", "half_backups", "incomplete_backups")
    return any(found[fault] for fault in faults)


def main() -> int:
    """Measure and print; 1 when something was lost, doubled or half."""
    parser = argparse.ArgumentParser(description="What killed services lose.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--kills", type=int, default=200, help="kills in all")
    parser.add_argument("--seed", type=int, default=5, help="of the moments")
    wanted = parser.parse_args()
    during = wanted.kills // 4
    found = {
        "under load": figures(wanted.kills - during, wanted.seed, backup_mib=0),
        "during a backup": figures(during, wanted.seed, BACKUP_MIB),
    }
    if wanted.json:
        print(json.dumps(found))
    else:
        for when, counted in found.items():
            print(f"{when:16}", "  ".join(f"{name} {number}" for name, number in counted.items()))
    return any(is_wrong(counted) for counted in found.values())


if __name__ == "__main__":
    sys.exit(main())
