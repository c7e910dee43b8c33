"""How long to wait before the next attempt."""

import random
from dataclasses import dataclass, field


@dataclass(slots=True)
class Backoff:
    """Doubles from `initial_s` to `maximum_s`, each time with full jitter over its upper half.

    `maximum_s` also bounds what a receiver may ask for.
    """

    initial_s: float = 1.0
    maximum_s: float = 30.0
    chance: random.Random = field(default_factory=random.Random)
    attempts: int = 0

    def next_s(self, asked_s: float | None) -> float:
        """Seconds until the next attempt, at least what the receiver asked for."""
        ceiling = min(self.maximum_s, self.initial_s * 2 ** min(self.attempts, 30))
        self.attempts += 1
        return max(min(asked_s or 0.0, self.maximum_s), self.chance.uniform(ceiling / 2, ceiling))

    def reset(self) -> None:
        """An attempt succeeded."""
        self.attempts = 0
