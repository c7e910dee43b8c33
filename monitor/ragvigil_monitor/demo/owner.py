"""The settings that the owner of the demo app gave the monitor, as a file for `ragvigil serve`."""

from importlib import resources
from pathlib import Path

ON_REQUEST = "\nschedule:\n  tick_s: 0\n"


def write_settings(folder: Path, *, on_request: bool) -> Path:
    """Write the settings below `folder` and return the file; `on_request` lets jobs run only when asked for."""
    text = resources.files(__package__).joinpath("owner.yaml").read_text(encoding="utf-8")
    file = folder / ("simulation.yaml" if on_request else "owner.yaml")
    file.write_text(text + ON_REQUEST if on_request else text, encoding="utf-8")
    return file
