"""What is installed, and which adapters there are for it."""

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Final

from ragvigil.doctor.adapters import ADAPTERS, PACKAGE
from ragvigil.doctor.finding import Finding, ok

_BASE: Final = ("opentelemetry-sdk", "opentelemetry-proto", "protobuf")
_EXTRAS: Final = {"monitor": "duckdb", "dashboards": "streamlit", "demo": "rich"}


def check_installed() -> Iterator[Finding]:
    """Versions, extras and adapters."""
    yield ok("version", f"ragvigil {_version('ragvigil')}, Python {platform.python_version()}")
    yield ok("packages", ", ".join([f"{name} {_version(name)}" for name in _BASE]))
    present = [extra for extra, module in _EXTRAS.items() if find_spec(module) is not None]
    yield ok("extras", ", ".join(present) or "none, and instrumentation needs none")
    yield ok("adapters", f"for what is installed here: {', '.join(_adapters()) or 'none'}")


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _adapters() -> Iterator[str]:
    for adapter, distribution in ADAPTERS.items():
        found = _version(distribution)
        if found is not None and find_spec(PACKAGE + adapter) is not None:
            yield f"{adapter} ({distribution} {found})"
