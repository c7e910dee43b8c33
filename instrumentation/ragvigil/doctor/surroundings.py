"""What the environment says, as `configure` would read it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ragvigil import attributes as names
from ragvigil import settings
from ragvigil.addresses import without_secrets
from ragvigil.doctor.finding import Finding, ok, problem, warning

GRPC_PORT = 4317
_OTHER_DIRECTORY = "name a directory that the application may write to"
_HEADER_NAMES = ("OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS")


@dataclass(frozen=True, slots=True)
class Target:
    """Where telemetry goes, and how."""

    traces_url: str
    logs_url: str
    headers: Mapping[str, str]
    gzip: bool


def target(endpoint: str | None, environ: Mapping[str, str]) -> Target:
    """What `configure(endpoint=...)` would send to; raises ValueError as it does."""
    traces_url, logs_url = settings.endpoints(endpoint, environ)
    return Target(traces_url, logs_url, settings.headers_from(None, environ), settings.wants_gzip(environ))


def check_surroundings(endpoint: str | None, environ: Mapping[str, str]) -> Iterator[Finding]:
    """Everything about the environment that keeps spans from leaving."""
    yield _switch(environ)
    yield from _address(endpoint, environ)
    yield _headers(environ)
    yield from _protocol(environ)
    yield _service(environ)
    yield from _spool(environ)


def _switch(environ: Mapping[str, str]) -> Finding:
    if settings.is_disabled(environ):
        return problem("switch", "OTEL_SDK_DISABLED=true: nothing is recorded", "unset it")
    return ok("switch", "OTEL_SDK_DISABLED is not set")


def _address(endpoint: str | None, environ: Mapping[str, str]) -> Iterator[Finding]:
    try:
        found = target(endpoint, environ)
    except ValueError as wrong:
        yield problem("endpoint", str(wrong), "correct it; configure() raises for it too")
        return
    yield ok("endpoint", f"{without_secrets(found.traces_url)} (from {_source(endpoint, environ)})")
    if urlsplit(found.traces_url).port == GRPC_PORT:
        yield warning("endpoint", f"{GRPC_PORT} is the gRPC port", "use OTLP over HTTP, usually port 4318")


def _source(endpoint: str | None, environ: Mapping[str, str]) -> str:
    if endpoint:
        return "--endpoint"
    variables = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
    return next((name for name in variables if environ.get(name)), "the default")


def _headers(environ: Mapping[str, str]) -> Finding:
    for name in _HEADER_NAMES:
        if environ.get(name, "").strip() and not settings.pairs(environ, name):
            return problem("headers", f"{name} cannot be read and is ignored", "write it as key=value,key=value")
    given = sorted(settings.headers_from(None, environ))
    return ok("headers", ", ".join([f"{name}: (hidden)" for name in given]) or "none from the environment")


def _protocol(environ: Mapping[str, str]) -> Iterator[Finding]:
    for name in ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"):
        asked = environ.get(name, "").strip()
        if asked not in {"", "http/protobuf"}:
            yield warning(
                "protocol", f"{name}={asked}", "Ragvigil always sends http/protobuf; the endpoint must take it"
            )


def _service(environ: Mapping[str, str]) -> Finding:
    named = settings.resource_from({}, None, environ)[names.SERVICE_NAME]
    if str(named).startswith("unknown_service"):
        advice = "set OTEL_SERVICE_NAME, unless the application says configure(service_name=...)"
        return warning("service", "the environment names no service", advice)
    return ok("service", str(named))


def _spool(environ: Mapping[str, str]) -> Iterator[Finding]:
    folder = environ.get("RAGVIGIL_SPOOL_DIR")
    if not folder:
        return
    try:
        yield _directory(Path(folder))
    except OSError as failure:
        yield problem("spool", f"{folder} cannot be read: {failure.strerror}", _OTHER_DIRECTORY)


def _directory(path: Path) -> Finding:
    if not path.exists():
        return ok("spool", f"{path} is made when the receiver is away for the first time")
    if not path.is_dir():
        return problem("spool", f"{path} is no directory", _OTHER_DIRECTORY)
    sizes = list(map(_size, path.glob("*.spool")))
    segments = [size for size in sizes if size is not None]
    return ok("spool", f"{len(segments)} segments with {sum(segments):,} bytes in {path}")


def _size(segment: Path) -> int | None:
    """Bytes of a segment; None for one that was delivered meanwhile, and removed."""
    try:
        return segment.stat().st_size
    except FileNotFoundError:
        return None
