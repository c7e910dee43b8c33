"""What `configure` and the standard environment variables say, checked once and frozen."""

import logging
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from reprlib import repr as brief_repr
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from ragvigil import attributes as names
from ragvigil.addresses import without_secrets
from ragvigil.rare import Value, immutable
from ragvigil.sampling import Share

if TYPE_CHECKING:
    from ragvigil.redaction.content import Modes
    from ragvigil.redaction.texts import Redact

_log = logging.getLogger("ragvigil")

DEFAULT_ENDPOINT: Final = "http://127.0.0.1:4318"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a recorder needs to know."""

    traces_url: str
    logs_url: str
    headers: Mapping[str, str] = field(repr=False)
    gzip: bool
    resource: Mapping[str, Value]
    secret_key: bytes | None = field(repr=False)
    max_queue_traces: int
    max_queue_bytes: int
    export_interval_s: float
    counts_interval_s: float
    timeout_s: float
    probe_share: float
    probe_timeout_s: float
    max_waiting_probes: int
    document_texts: bool
    content: "Modes"
    redactors: "tuple[Redact, ...]" = field(repr=False)
    bridge: bool
    sample: Share
    spool_dir: str | None
    max_spool_bytes: int


def is_disabled(environ: Mapping[str, str]) -> bool:
    """Whether the standard kill switch is on."""
    return environ.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"


def endpoints(endpoint: str | None, environ: Mapping[str, str]) -> tuple[str, str]:
    """Addresses for traces and logs; a signal's own variable is taken as it is, the common one gets `/v1/...`."""
    base = endpoint or environ.get("OTEL_EXPORTER_OTLP_ENDPOINT") or DEFAULT_ENDPOINT
    source = "endpoint" if endpoint else "OTEL_EXPORTER_OTLP_ENDPOINT"
    root = _address(source, base).rstrip("/")
    return (
        _own_address("TRACES", endpoint, environ) or f"{root}/v1/traces",
        _own_address("LOGS", endpoint, environ) or f"{root}/v1/logs",
    )


def _own_address(signal: str, endpoint: str | None, environ: Mapping[str, str]) -> str | None:
    name = f"OTEL_EXPORTER_OTLP_{signal}_ENDPOINT"
    own = None if endpoint else environ.get(name)
    return _address(name, own) if own else None


def _address(name: str, value: object) -> str:
    if isinstance(value, str) and _is_address(value):
        return value
    got = repr(without_secrets(value)) if isinstance(value, str) else without_secrets(repr(value))
    raise ValueError(f"{name}: got {got}; expected an address such as {DEFAULT_ENDPOINT}")


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def headers_from(given: Mapping[str, str] | None, environ: Mapping[str, str]) -> dict[str, str]:
    """Request headers: those given, over those of OTEL_EXPORTER_OTLP_HEADERS."""
    common = pairs(environ, "OTEL_EXPORTER_OTLP_HEADERS")
    own = pairs(environ, "OTEL_EXPORTER_OTLP_TRACES_HEADERS")
    for name, value in (given or {}).items():
        if not _is_header(name, value):
            raise ValueError(f"headers: got {name!r}; expected names and values of printable ASCII text")
    return {**common, **own, **(given or {})}


def _is_header(name: object, value: object) -> bool:
    if not isinstance(name, str) or not isinstance(value, str):
        return False
    return bool(name) and (name + value).isprintable() and (name + value).isascii()


def resource_from(
    named: Mapping[str, str | None], extra: Mapping[str, object] | None, environ: Mapping[str, str]
) -> dict[str, Value]:
    """Resource attributes: the named arguments, over `resource`, over the environment, over the defaults."""
    resource: dict[str, Value] = {names.SERVICE_NAME: "unknown_service:python"}
    resource |= pairs(environ, "OTEL_RESOURCE_ATTRIBUTES")
    if environ.get("OTEL_SERVICE_NAME"):
        resource[names.SERVICE_NAME] = environ["OTEL_SERVICE_NAME"]
    for key, value in (extra or {}).items():
        kept = immutable(value)
        if kept is None or not _is_name(key):
            raise ValueError(
                f"resource[{key!r}]: got {brief_repr(value)}; expected text, a number, a bool or a list of them"
            )
        resource[key] = kept
    resource |= {key: _not_empty(key, text) for key, text in named.items() if text is not None}
    return {**resource, names.PROJECT_NAME: resource.get(names.PROJECT_NAME, resource[names.SERVICE_NAME])}


def _is_name(key: object) -> bool:
    return isinstance(key, str) and bool(key)


def _not_empty(name: str, text: object) -> str:
    if isinstance(text, str) and text:
        return text
    raise ValueError(f"{name}: got {text!r}; expected text that is not empty")


def pairs(environ: Mapping[str, str], name: str) -> dict[str, str]:
    """Read `key=value,key=value` with percent-encoded values; as OpenTelemetry asks, a bad list is told and ignored."""
    entries = [entry.strip() for entry in environ.get(name, "").split(",") if entry.strip()]
    split = [entry.partition("=") for entry in entries]
    if all(key.strip() and equals for key, equals, _ in split):
        return {key.strip(): unquote(value.strip()) for key, _, value in split}
    _log.warning("ragvigil: %s is ignored; expected key=value,key=value", name)
    return {}


def wants_gzip(environ: Mapping[str, str]) -> bool:
    """Whether request bodies are to be compressed."""
    value = environ.get("OTEL_EXPORTER_OTLP_COMPRESSION", "").strip().lower()
    if value not in {"", "none", "gzip"}:
        raise ValueError(f"OTEL_EXPORTER_OTLP_COMPRESSION: got {value!r}; expected gzip or none")
    return value == "gzip"


def check_limits(**limits: float) -> None:
    """Refuse a limit that is not positive; those of the queue are whole numbers."""
    for name, value in limits.items():
        positive(name, value, whole=name.startswith("max_"))


def positive(name: str, value: float, *, whole: bool = False) -> None:
    """Refuse anything but a positive, finite number."""
    expected = "a whole number of at least 1" if whole else "a positive number of seconds"
    kinds = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not math.isfinite(value) or value <= 0:
        raise ValueError(f"{name}: got {value!r}; expected {expected}")


def checked_share(name: str, value: object) -> float:
    """Refuse anything but a number in [0, 1]."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise ValueError(f"{name}: got {value!r}; expected a number from 0 to 1")
    return value


def checked_sample(value: object) -> Share:
    """Refuse anything but a number in [0, 1] and what can be called."""
    if callable(value):
        return value
    try:
        return checked_share("sample", value)
    except ValueError as refused:
        raise ValueError(f"{refused}, or a function that gives one") from None


def checked_switch(name: str, value: object) -> bool:
    """Refuse anything but True and False."""
    if not isinstance(value, bool):
        raise ValueError(f"{name}: got {value!r}; expected True or False")
    return value


def checked_key(secret_key: object) -> bytes | None:
    """The application's secret, of at least 16 bytes."""
    if secret_key is None or (isinstance(secret_key, bytes) and len(secret_key) >= _MIN_KEY_BYTES):
        return secret_key
    given = f"{len(secret_key)} bytes" if isinstance(secret_key, bytes) else type(secret_key).__name__
    raise ValueError(f"secret_key: got {given}; expected bytes, at least {_MIN_KEY_BYTES} (for example key.encode())")


_MIN_KEY_BYTES: Final = 16


def checked_spool_dir(given: object, environ: Mapping[str, str]) -> str | None:
    """The directory given, else that of RAGVIGIL_SPOOL_DIR, as an absolute path; it need not exist yet."""
    source, path = ("spool_dir", given) if given is not None else ("RAGVIGIL_SPOOL_DIR", environ.get(SPOOL_DIR))
    if path is None or (path == "" and given is None):
        return None
    text = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(text, str) or not text or "\0" in text:
        raise ValueError(f"{source}: got {path!r}; expected the path of a directory")
    return os.path.abspath(text)  # noqa: PTH100 - nothing else here needs pathlib, and import has to be quick


def checked_spool_bytes(max_spool_bytes: int) -> int:
    """Refuse a limit in which no segments fit."""
    positive("max_spool_bytes", max_spool_bytes, whole=True)
    if max_spool_bytes < _MIN_SPOOL_BYTES:
        raise ValueError(f"max_spool_bytes: got {max_spool_bytes!r}; expected at least {_MIN_SPOOL_BYTES}")
    return max_spool_bytes


SPOOL_DIR: Final = "RAGVIGIL_SPOOL_DIR"
_MIN_SPOOL_BYTES: Final = 1 << 20
