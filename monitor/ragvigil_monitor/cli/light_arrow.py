"""pyarrow without pandas, which it imports for its first array wherever pandas is installed."""

import sys
from importlib.abc import MetaPathFinder
from typing import Final

import pyarrow as pa

_PANDAS: Final = "pandas"


def leave_pandas_alone() -> None:
    """Have pyarrow find out now that there is no pandas: 55 MB and a fifth of a second for what nothing here asks for.

    From then on whoever imports pandas gets it, and pyarrow too, when it is asked for a DataFrame.
    """
    if _PANDAS not in sys.modules:
        missing = _Missing()
        sys.meta_path.insert(0, missing)
        try:
            pa.array([0])
        finally:
            sys.meta_path.remove(missing)


class _Missing(MetaPathFinder):
    """Finds no pandas."""

    def find_spec(self, fullname: str, *_: object) -> None:
        """Raise ModuleNotFoundError for pandas, and leave all else to the others."""
        if fullname == _PANDAS:
            raise ModuleNotFoundError(f"No module named {_PANDAS!r}", name=_PANDAS)
