"""The settings explained as a YAML file: what `ragvigil config` prints and `config/ragvigil.yaml` holds."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ragvigil_monitor.settings import Settings

HEADER = """\
# Every setting of `ragvigil serve`, with its default. Use it with: ragvigil serve --config ragvigil.yaml
# A setting may also come from the environment, which wins over this file: the name in parentheses.
# Printed by `ragvigil config`.
"""


def explained() -> str:
    """The whole configuration file, each setting with its meaning and its environment name."""
    return HEADER + "\n".join(_section(Settings, "RAGVIGIL_", depth=0)) + "\n"


def _section(model: type[BaseModel], prefix: str, depth: int) -> Iterator[str]:
    for name, field in model.model_fields.items():
        yield from _setting(name, field, prefix + name.upper(), depth)


def _setting(name: str, field: FieldInfo, environment: str, depth: int) -> Iterator[str]:
    indent = "  " * depth
    nested = _nested_model(field)
    if nested is None:
        yield f"{indent}# {field.description} ({environment})"
        yield f"{indent}{name}: {_yaml_value(_shown_default(field))}"
        return
    yield from [""] * (depth == 0)
    yield f"{indent}# {field.description}"
    lines = [f"{indent}{name}:", *_section(nested, environment + "__", depth + 1)]
    yield from (lines if isinstance(field.default, BaseModel) else _as_example(lines, indent))


def _nested_model(field: FieldInfo) -> type[BaseModel] | None:
    candidates = [field.annotation, *get_args(field.annotation)]
    return next((each for each in candidates if isinstance(each, type) and issubclass(each, BaseModel)), None)


def _shown_default(field: FieldInfo) -> Any:
    return field.examples[0] if field.is_required() and field.examples else field.default


def _yaml_value(value: Any) -> str:
    return json.dumps(str(value) if isinstance(value, Path) else value, ensure_ascii=False)


def _as_example(lines: list[str], indent: str) -> Iterator[str]:
    yield f"{lines[0]} null"
    yield from (f"{indent}#{line.removeprefix(indent)}" for line in lines)
