"""Keyed hashes that stand for content: equal contents of one field stay equal, nothing else can be told."""

import hmac
from typing import Final

_HEX_DIGITS: Final = 32


class Hashes:
    """HMAC-SHA256 under one key, in 32 hex digits; the field is part of what is hashed, so fields cannot be joined."""

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        self._key = key

    def of(self, field: str, text: str) -> str:
        """The hash of a content of `field`."""
        content = f"{field}\0".encode() + text.encode("utf-8", "surrogatepass")
        return hmac.digest(self._key, content, "sha256").hex()[:_HEX_DIGITS]
