"""One key for each purpose, all derived from the application's secret, so that no two HMACs share one."""

import hmac
from typing import Final

FILTER_VALUES: Final = "ragvigil filter values v1"
"""For the HMAC that stands for a protected value of a filter."""
ANSWER_TOKENS: Final = "ragvigil answer tokens v1"
"""For the signature of answer tokens."""
PROBE_SAMPLE: Final = "ragvigil probe sample v1"
"""For the hash of a trace id that decides whether its searches are probed."""
CONTENT: Final = "ragvigil content v1"
"""For the HMAC that stands for a user id or any other content that is to be hashed."""

_NO_SALT: Final = bytes(32)


def derived_key(secret: bytes, purpose: str) -> bytes:
    """The 32-byte key of one purpose: HKDF-SHA256 without a salt, the purpose as its info (RFC 5869)."""
    extracted = hmac.digest(_NO_SALT, secret, "sha256")
    return hmac.digest(extracted, purpose.encode() + b"\x01", "sha256")
