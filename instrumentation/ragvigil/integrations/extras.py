"""What to say where the library of an integration is not installed."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Around the imports of a library: where it is missing, ModuleNotFoundError names the extra that brings it."""
    try:
        yield
    except ModuleNotFoundError as missing:
        told = f"ragvigil.integrations.{name} needs the {name} extra: pip install 'ragvigil[{name}]'"
        raise ModuleNotFoundError(f"{told} ({missing.name} is not installed)", name=missing.name) from missing
