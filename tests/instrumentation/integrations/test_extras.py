"""What happens where the library of an integration is not installed, in a process of its own."""

import subprocess
import sys

import pytest

WITHOUT = """
import sys
sys.modules[{library!r}] = None
try:
    import ragvigil.integrations.{extra}
except ModuleNotFoundError as missing:
    print(missing)
"""
LIBRARIES = {
    "qdrant": "qdrant_client",
    "chroma": "chromadb",
    "langchain": "langchain_core",
    "llamaindex": "llama_index",
}


@pytest.mark.parametrize(("extra", "library"), LIBRARIES.items(), ids=LIBRARIES)
def test_the_extra_that_is_missing_is_named(extra: str, library: str) -> None:
    code = WITHOUT.format(library=library, extra=extra)
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    assert f"needs the {extra} extra: pip install 'ragvigil[{extra}]'" in told
    assert library in told


def test_reading_filters_imports_no_client() -> None:
    code = f"import ragvigil.dialects, sys; print({set(LIBRARIES.values())!r} & set(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60).stdout
    assert told.strip() == "set()"
