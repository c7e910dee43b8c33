"""The one text in what an application took or gave: a string, or JSON in which it is found by the names around it."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

import orjson

from ragvigil_monitor.conventions.convention import Attributes, Text

_QUESTION_KEYS: Final = (
    "question",
    "query",
    "query_str",
    "str_or_query_bundle",
    "query_bundle",
    "input",
    "inputs",
    "user_input",
    "prompt",
    "message",
    "messages",
    "content",
    "parts",
    "text",
    "args",
    "kwargs",
)
_ANSWER_KEYS: Final = (
    "answer",
    "response",
    "output",
    "outputs",
    "result",
    "message",
    "messages",
    "choices",
    "content",
    "parts",
    "text",
)
_USERS: Final = {"user", "human"}
_MODELS: Final = {"assistant", "ai", "model", "unknown"}
_ROLES: Final = _USERS | _MODELS | {"system", "tool", "developer", "function"}
_MAX_DEPTH: Final = 8


def question_in(*attributes: str) -> Text:
    """The question in the first of these attributes that has one."""
    return _in(attributes, _QUESTION_KEYS, _USERS)


def answer_in(*attributes: str) -> Text:
    """The answer in the first of these attributes that has one."""
    return _in(attributes, _ANSWER_KEYS, _MODELS)


def last_user_message(prefix: str, role: str, content: str) -> Text:
    """The last message of a user among flattened ones: `<prefix>.<i>.<role>` and `<prefix>.<i>.<content>`."""
    return _last_message(prefix, role, content, _USERS)


def last_model_message(prefix: str, role: str, content: str) -> Text:
    """The last message of a model among flattened ones."""
    return _last_message(prefix, role, content, _MODELS)


def first_text(places: Iterable[Text], attributes: Attributes) -> str | None:
    """What the first place says that says something."""
    return next((found for place in places if (found := place(attributes))), None)


def parsed(value: object) -> object:
    """What a JSON string means; None when it is no string or no JSON."""
    try:
        return orjson.loads(value) if isinstance(value, str) else None
    except orjson.JSONDecodeError:
        return None


def _in(attributes: Iterable[str], keys: Iterable[str], roles: set[str]) -> Text:
    def text(given: Attributes) -> str | None:
        return next((found for name in attributes if (found := _spoken(given.get(name), keys, roles))), None)

    return text


def _spoken(value: object, keys: Iterable[str], roles: set[str]) -> str | None:
    if not isinstance(value, str):
        return None
    meant = parsed(value)
    if isinstance(meant, dict | list | str):
        return _search(meant, keys, roles, 0)
    return value.strip() or None


def _search(value: object, keys: Iterable[str], roles: set[str], depth: int) -> str | None:
    if depth > _MAX_DEPTH:
        return None
    if isinstance(value, str):
        return _in_string(value, keys, roles, depth)
    if isinstance(value, list):
        return _in_list(value, keys, roles, depth)
    if isinstance(value, dict):
        inner = [value[key] for key in keys if key in value] or (list(value.values()) if len(value) == 1 else [])
        return next((found for each in inner if (found := _search(each, keys, roles, depth + 1))), None)
    return None


def _in_string(value: str, keys: Iterable[str], roles: set[str], depth: int) -> str | None:
    """A text; or what JSON in it says. JSON whose names say nothing is a text itself, unless it is empty."""
    meant = parsed(value) if value.startswith("{") else None
    if isinstance(meant, dict):
        return _search(meant, keys, roles, depth + 1) or (value if any(meant.values()) else None)
    return value.strip() or None


def _in_list(values: list[object], keys: Iterable[str], roles: set[str], depth: int) -> str | None:
    """The last message of one of the roles; in a list of anything else the first text."""
    messages = [each for each in values if isinstance(each, dict) and _role(each) is not None]
    chosen = [each for each in reversed(messages) if _is_one_of(_role(each), roles)] if messages else values
    return next((found for each in chosen if (found := _search(each, keys, roles, depth + 1))), None)


def _role(message: Mapping[str, object]) -> object:
    role = message.get("role", message.get("type"))
    return role if _is_one_of(role, _ROLES) else None


def _is_one_of(role: object, roles: set[str]) -> bool:
    return isinstance(role, str) and role in roles


def _last_message(prefix: str, role: str, content: str, roles: set[str]) -> Text:
    numbered = re.compile(rf"{re.escape(prefix)}\.(\d{{1,4}})\.{re.escape(role)}")

    def text(given: Attributes) -> str | None:
        spoken = [
            int(match[1])
            for name, value in given.items()
            if name.startswith(prefix) and _is_one_of(value, roles) and (match := numbered.fullmatch(name))
        ]
        contents = (given.get(f"{prefix}.{number}.{content}") for number in sorted(spoken, reverse=True))
        return next((found for each in contents if isinstance(each, str) and (found := each.strip())), None)

    return text
