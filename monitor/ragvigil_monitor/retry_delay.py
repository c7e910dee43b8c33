"""How long to wait before something that failed is tried again."""

import hashlib

FIRST_DELAY_S = 10.0
LONGEST_DELAY_S = 3600.0


def delay_s(identity: str, attempts: int) -> float:
    """Seconds after so many failed attempts: doubling from 10 s to an hour, spread by ± 25 %.

    The spread follows from the id, so that what failed together does not all come back together, and a repetition of
    the run decides the same.
    """
    digest = hashlib.sha256(f"{identity}\n{attempts}".encode()).digest()
    spread = 0.75 + int.from_bytes(digest[:4]) / 2**33
    return spread * min(LONGEST_DELAY_S, FIRST_DELAY_S * 2.0 ** min(attempts - 1, 30))
