"""Values of OTLP attributes as plain Python, and what a column accepts of them.

An accepting function returns None for a value of another type or outside its range; the caller counts the flaw.
"""

import base64
import math
from collections.abc import Callable, Iterable, Mapping

import orjson
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList

MAX_INT64 = 2**63 - 1
MAX_INT32 = 2**31 - 1


def plain(value: AnyValue) -> object:
    """An attribute's value; bytes stay bytes, a number that is not finite becomes its name."""
    sent = value.string_value
    if sent:  # most are texts, and to ask for the kind takes longer
        return sent
    kind = value.WhichOneof("value")
    reader = _READERS.get(kind) if kind else None
    return reader(getattr(value, kind)) if reader and kind else None


def plain_mapping(pairs: Iterable[KeyValue]) -> dict[str, object]:
    """Attributes as a dictionary; of a repeated key the last counts."""
    return {pair.key: plain(pair.value) for pair in pairs}


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)


def _array(value: ArrayValue) -> list[object]:
    return [plain(element) for element in value.values]


def _mapping(value: KeyValueList) -> dict[str, object]:
    return plain_mapping(value.values)


def _same(value: object) -> object:
    return value


_READERS: Mapping[str, Callable[..., object]] = {
    "string_value": _same,
    "int_value": _same,
    "bool_value": _same,
    "double_value": _finite,
    "bytes_value": _same,
    "array_value": _array,
    "kvlist_value": _mapping,
}


def json_text(value: object) -> str:
    """JSON of a plain value; bytes as base64."""
    return orjson.dumps(value, default=_bytes_as_base64).decode()


def _bytes_as_base64(value: object) -> str:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(type(value).__name__)


def text(value: object) -> str | None:
    """A string."""
    return value if isinstance(value, str) else None


def name(value: object) -> str | None:
    """A string that is not empty."""
    return text(value) or None


def flag(value: object) -> bool | None:
    """A boolean."""
    return value if isinstance(value, bool) else None


def number(value: object) -> float | None:
    """A finite number, not a boolean."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return float(value)


def amount(value: object) -> float | None:
    """A finite number, not negative."""
    found = number(value)
    return found if found is not None and found >= 0 else None


def share(value: object) -> float | None:
    """A number in [0, 1]."""
    found = amount(value)
    return found if found is not None and found <= 1 else None


def probability(value: object) -> float | None:
    """A number in (0, 1]."""
    return share(value) or None


def milliseconds(seconds: object) -> float | None:
    """A duration given in seconds."""
    found = amount(seconds)
    return None if found is None else found * 1000.0


def count(value: object) -> int | None:
    """A whole number in [0, 2^63), also one written as a float."""
    found = amount(value)
    return int(value) if found is not None and found.is_integer() and found < MAX_INT64 else None  # type: ignore[call-overload]


def small_count(value: object) -> int | None:
    """A whole number in [0, 2^31)."""
    found = count(value)
    return found if found is not None and found <= MAX_INT32 else None


def json_value(value: object) -> str | None:
    """A string that is valid JSON, as it was sent; a list or mapping as JSON."""
    if isinstance(value, dict | list):
        return json_text(value)
    return value if isinstance(value, str) and parsed(value) is not None else None


def parsed(value: object) -> object:
    """What a JSON string means; None when it is no string, cut off or otherwise not JSON."""
    if not isinstance(value, str):
        return None
    try:
        return orjson.loads(value)
    except orjson.JSONDecodeError:
        return None
