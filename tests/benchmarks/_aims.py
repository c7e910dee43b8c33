"""What a measurement should find: by file and figure, the aim, and which side of it is good."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NamedTuple


class Aim(NamedTuple):
    """side: whether the figure should be at most or at least the value."""

    side: Literal["most", "least"]
    value: float


AIMS: Final[Mapping[str, Mapping[str, Aim]]] = {
    "ingest": {
        "share_of_limit": Aim("least", 0.5),
        "share_while_queried": Aim("least", 0.7),
        "phoenix_ratio": Aim("least", 100),
        "phoenix_bytes_ratio": Aim("most", 0.2),
    },
    "killed_services": {name: Aim("most", 0) for name in ("lost", "unsound", "half_backups", "incomplete_backups")},
    "kills": {"lost": Aim("most", 0), "stored_twice": Aim("most", 0)},
    "overhead": {"request_thread_ratio": Aim("most", 0.15), "process_cpu_ratio": Aim("most", 0.3)},
    "queries": {
        "slowest_p95_s": Aim("most", 0.5),
        "growth_ratio": Aim("most", 1.3),
        "serve_rss_mb": Aim("most", 1500),
    },
}


def compared(measurement: str, found: Mapping[str, Any]) -> Iterator[str]:
    """One line for each figure that has an aim, also inside groups: the figure, its ratio to the aim, and a word."""
    for name, value in found.items():
        if isinstance(value, dict):
            yield from (f"{name} {line}" for line in compared(measurement, value))
        elif (aim := AIMS.get(measurement, {}).get(name)) is not None:
            is_met = value <= aim.value if aim.side == "most" else value >= aim.value
            ratio = f"{value / aim.value:.2f} of" if aim.value else "with"
            yield f"{name} {value:.3g}: {ratio} at {aim.side} {aim.value:g}{'' if is_met else ', missed'}"
