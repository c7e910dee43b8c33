"""One API key a role, in a file beside the database that only its owner can read."""

import hmac
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Self

from ragvigil_monitor.errors import ConfigurationError


class Role(StrEnum):
    """What a key may do. Admin may do everything; the others only their own."""

    INGEST = "ingest"
    ONCALL = "oncall"
    REVIEWER = "reviewer"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True, repr=False)
class Keys:
    """The key of each role."""

    by_role: Mapping[Role, str]

    @classmethod
    def generate(cls) -> Self:
        """Fresh random keys."""
        return cls({role: secrets.token_urlsafe(32) for role in Role})

    @classmethod
    def read_or_create(cls, path: Path) -> Self:
        """Read the keys at `path`; write fresh ones, mode 0600, where there are none; raises ConfigurationError."""
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            return cls.read(path)
        except OSError as failure:
            raise ConfigurationError(
                f"The keys of the database cannot be written beside it: {failure}. "
                f"`ragvigil serve` needs to write in {path.parent}, DuckDB too; or name another file with --db."
            ) from failure
        keys = cls.generate()
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(dict(keys.by_role), file, indent=2)
        return keys

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read the keys at `path`; ConfigurationError where they are missing, unreadable or incomplete."""
        try:
            return cls({Role(role): str(key) for role, key in json.loads(path.read_text(encoding="utf-8")).items()})
        except FileNotFoundError as missing:
            raise ConfigurationError(
                f"There is no file {path} with API keys; `ragvigil serve` writes one beside its database."
            ) from missing
        except OSError as failure:
            raise ConfigurationError(
                f"The API keys in {path} cannot be read ({failure.strerror}). Let this user read that file."
            ) from failure
        except (ValueError, AttributeError) as failure:
            raise ConfigurationError(
                f"{path} does not hold API keys ({failure}). Remove it, and `ragvigil serve` writes a new one."
            ) from failure

    def role_of(self, presented: str) -> Role | None:
        """The role whose key was presented, compared in constant time."""
        known = [role for role, key in self.by_role.items() if hmac.compare_digest(key.encode(), presented.encode())]
        return known[0] if known else None


def keys_path(database: Path) -> Path:
    """Where the keys of a database lie: beside the path that was given, which may be a link to the file."""
    return database.with_name(database.name + ".keys.json")
