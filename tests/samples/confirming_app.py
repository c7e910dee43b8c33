"""An app that answers without pause and prints the ids of its answers, a line a flush that confirmed them.

usage: confirming_app.py ENDPOINT SPOOL_DIR SEED
"""

import random
import sys

import ragvigil


def answer(number: int) -> str:
    """One answer with one stage; its id."""
    with ragvigil.pipeline("ask") as given:
        given.set(question=f"question {number}")
        with ragvigil.stage("retrieve") as stage:
            stage.outputs([f"doc-{number}"], [0.5])
    return given.id


def main(endpoint: str, spool_dir: str, seed: str) -> None:
    """Answer until killed."""
    chance = random.Random(seed)
    ragvigil.configure(
        service_name="confirming", endpoint=endpoint, spool_dir=spool_dir, export_interval_s=0.02, timeout_s=5
    )
    print("ready", flush=True)
    while True:
        ids = [answer(number) for number in range(chance.randint(1, 20))]
        if ragvigil.flush(timeout_s=10):
            print(*ids, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
