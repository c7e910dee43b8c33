"""What a settings file says, before it is known whether that is valid."""

from pathlib import Path
from typing import Any

import yaml
from yaml.constructor import ConstructorError

from ragvigil_monitor.errors import ConfigurationError


def values_in(file: Path) -> dict[str, Any]:
    """What the file sets, by name; raises ConfigurationError where it cannot be read or names nothing."""
    values = _content(file)
    if not isinstance(values, dict | None):
        raise ConfigurationError(
            f"{file} is not valid: it does not name settings; right would be names with values, such as "
            "`server: {port: 4318}`, and `ragvigil config` prints them all."
        )
    return {str(name): value for name, value in (values or {}).items()}


def _content(file: Path) -> Any:
    try:
        with file.open(encoding="utf-8") as stream:
            return yaml.load(stream, _Loader)  # noqa: S506 - a SafeLoader
    except FileNotFoundError as missing:
        raise ConfigurationError(f"There is no configuration file {file}.") from missing
    except OSError as failure:
        raise ConfigurationError(
            f"{file} cannot be read ({failure.strerror}). Name a file that this user may read."
        ) from failure
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError) as unreadable:
        raise ConfigurationError(f"{file} is not readable as YAML: {unreadable}") from unreadable


class _Loader(yaml.SafeLoader):
    """Says where a value is that looks like a date or a number and is none: PyYAML lets Python's own errors out."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Make the value of a node."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError, TypeError) as failure:
            kind = node.tag.rpartition(":")[2]
            raise ConstructorError(None, None, f"this is no {kind} ({failure})", node.start_mark) from failure
