"""What a client says about an answer: a small JSON object, checked."""

import json
from datetime import datetime
from typing import Any, Final, NoReturn

from ragvigil.integrations.asgi.headers import values_of
from ragvigil.integrations.asgi.protocol import Receive, Scope

_KEYS: Final = ("token", "kind", "reason", "value", "feedback_id", "at")
_NEEDED: Final = ("token", "kind")
_MEDIA_TYPES: Final = ("application/json", "text/plain")


class BodyError(ValueError):
    """A body is no feedback; the text says why and holds nothing of the body."""


class TooLargeError(BodyError):
    """A body has too many bytes."""


class MediaTypeError(BodyError):
    """A body is of a kind that is not read."""


async def read_feedback(scope: Scope, receive: Receive, max_bytes: int) -> dict[str, Any]:
    """The arguments of `ragvigil.feedback`, of the right types; raises BodyError."""
    _check_media_type(scope)
    said = _json_object(await _body(scope, receive, max_bytes))
    unknown = len(said.keys() - set(_KEYS))
    if unknown:
        raise BodyError(f"{unknown} unknown keys; expected only {', '.join(_KEYS)}")
    for key in _NEEDED:
        if said.get(key) is None:
            raise BodyError(f"{key}: is missing")
    _check_types(said)
    return {**said, "at": _moment(said.get("at"))}


def _check_media_type(scope: Scope) -> None:
    for value in values_of(scope, "content-type"):
        media_type, _, parameters = value.lower().partition(";")
        if media_type.strip() not in _MEDIA_TYPES:
            raise MediaTypeError(f"Content-Type: expected {' or '.join(_MEDIA_TYPES)}")
        charset = parameters.partition("charset=")[2].strip().strip('"')
        if charset not in {"", "utf-8", "utf8"}:
            raise MediaTypeError("Content-Type: expected charset=utf-8")
    if any(value.strip().lower() != "identity" for value in values_of(scope, "content-encoding")):
        raise MediaTypeError("Content-Encoding: a compressed body is not read")


async def _body(scope: Scope, receive: Receive, max_bytes: int) -> bytes:
    """At most `max_bytes`; a body that announces more is not read at all."""
    for announced in values_of(scope, "content-length"):
        if announced.isascii() and announced.isdigit() and int(announced[:20]) > max_bytes:
            _refuse_size(max_bytes)
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise BodyError("the client disconnected")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > max_bytes:
            _refuse_size(max_bytes)
        more = message.get("more_body", False)
    return b"".join(parts)


def _refuse_size(max_bytes: int) -> NoReturn:
    raise TooLargeError(f"the body has more than {max_bytes} bytes")


def _json_object(body: bytes) -> dict[str, object]:
    try:
        said = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError as failure:
        raise BodyError("the body is not UTF-8 text") from failure
    except (ValueError, RecursionError) as failure:
        raise BodyError("the body is not JSON") from failure
    if not isinstance(said, dict):
        raise BodyError("the body is not a JSON object")
    return said


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _check_types(said: dict[str, object]) -> None:
    for key, value in said.items():
        expected = (int, float) if key == "value" else (str,)
        if value is not None and (isinstance(value, bool) or not isinstance(value, expected)):
            raise BodyError(f"{key}: expected {'a number' if key == 'value' else 'text'}")


def _moment(text: object) -> datetime | None:
    if not isinstance(text, str):
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError as failure:
        raise BodyError("at: expected a time such as 2026-11-30T12:00:00Z") from failure
