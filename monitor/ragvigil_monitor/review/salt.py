"""The secret behind the draw: who knows it could tell which answers are reviewed, or what an item is."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import Self

from ragvigil_monitor.keys import Role
from ragvigil_monitor.service import Service

_SCALE = float(2**64)


@dataclass(frozen=True, slots=True, repr=False)
class Salt:
    """The key of every hash of the review. version: names it without telling it, stored with what it decided."""

    key: bytes
    version: str

    @classmethod
    def of(cls, service: Service) -> Self:
        """The salt in the settings; without one it is derived from the admin key, which only the owner can read."""
        given = service.settings.review.salt
        if given is not None:
            return cls.from_text(given.get_secret_value())
        return cls.from_text(service.keys.by_role[Role.ADMIN])

    @classmethod
    def from_text(cls, secret: str) -> Self:
        """A salt from any text."""
        key = hmac.digest(secret.encode(), b"ragvigil review salt", hashlib.sha256)
        return cls(key, hmac.digest(key, b"version", hashlib.sha256).hex()[:12])

    def digest(self, purpose: str, *parts: bytes) -> bytes:
        """32 bytes for a purpose and a thing."""
        return hmac.digest(self.key, b"\0".join([purpose.encode(), *parts]), hashlib.sha256)

    def uniform(self, purpose: str, *parts: bytes) -> float:
        """A number in [0, 1) for a purpose and a thing: independent and uniform for whoever does not know the salt."""
        return int.from_bytes(self.digest(purpose, *parts)[:8]) / _SCALE
