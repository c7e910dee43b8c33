"""Which traces go to Phoenix: a share of them by a hash of the trace id, so that a trace goes whole or not at all."""

import hashlib
from typing import Final

_SCALE: Final = float(2**64)


def is_in_share(trace_id: bytes, share: float) -> bool:
    """Whether a trace is sent, with probability `share` over trace ids.

    A larger share holds every trace of a smaller one. The hash has a name of its own, so that the choice is
    independent of other choices by hash.
    """
    digest = hashlib.blake2b(trace_id, digest_size=8, person=b"ragvigilphoenix").digest()
    return int.from_bytes(digest) / _SCALE < share
