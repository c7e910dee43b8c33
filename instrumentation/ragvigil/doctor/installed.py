"""What is installed, and which adapters there are for it."""

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pkgutil import iter_modules
from typing import Final

from ragvigil import integrations
from ragvigil.doctor.finding import Finding, ok

_BASE: Final = ("opentelemetry-sdk", "opentelemetry-proto", "protobuf")
_EXTRAS: Final = {"monitor": "duckdb", "dashboards": "streamlit", "demo": "rich"}
_FRAMEWORKS: Final = (
    "fastapi",
    "starlette",
    "langchain-core",
    "llama-index-core",
    "qdrant-client",
    "chromadb",
)


def check_installed() -> Iterator[Finding]:
    """Versions, extras and adapters."""
    yield ok("version", f"ragvigil {_version('ragvigil')}, Python {platform.python_version()}")
    yield ok("packages", ", ".join([f"{name} {_version(name)}" for name in _BASE]))
    present = [extra for extra, module in _EXTRAS.items() if find_spec(module) is not None]
    yield ok("extras", ", ".join(present) or "none, and instrumentation needs none")
    found = [f"{name} {_version(name)}" for name in _FRAMEWORKS if _version(name) is not None]
    adapters = sorted(module.name for module in iter_modules(integrations.__path__))
    yield ok("adapters", f"available: {', '.join(adapters)}; installed here: {', '.join(found) or 'none'}")


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None
