"""One HTTP exchange that is over when its time is over, and why one failed in words."""

import http.client
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple, TypeVar
from urllib.parse import urlsplit

T = TypeVar("T")
_MAX_BYTES: Final = 4 << 20


class Fetched(NamedTuple):
    """A response; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Explained(NamedTuple):
    """Why nothing came back, and what to do."""

    detail: str
    advice: str


_CHECK_ADDRESS: Final = "correct the endpoint, or start `ragvigil serve` there"
_EXPLANATIONS: Final[tuple[tuple[type[Exception], str, str], ...]] = (
    (
        socket.gaierror,
        "the name of the host is not known",
        "correct the endpoint; the DNS of this machine must know it",
    ),
    (ConnectionRefusedError, "nobody listens there", _CHECK_ADDRESS),
    (TimeoutError, "no answer within the time allowed", "look for a firewall or proxy between, or raise --timeout"),
    (
        ssl.SSLCertVerificationError,
        "its certificate is not trusted",
        "set SSL_CERT_FILE to the authority that signed it, and use the host name that the certificate names",
    ),
    (ssl.SSLError, "it does not speak TLS at this port", "use http:// or the port that speaks TLS"),
    (
        http.client.HTTPException,
        "what answers does not speak HTTP/1.1",
        "use https:// if it speaks TLS; 4317 is the gRPC port, Ragvigil needs OTLP over HTTP (4318)",
    ),
    (
        ValueError,
        "the request cannot be made: the address, or a header, holds what HTTP does not allow",
        "check the endpoint, --api, the API key and OTEL_EXPORTER_OTLP_HEADERS for line ends and other odd characters",
    ),
    (ConnectionError, "it closed the connection", "use https:// if it speaks TLS; look for a proxy between"),
)


def explain(failure: Exception) -> Explained:
    """A failed exchange in words."""
    for kind, detail, advice in _EXPLANATIONS:
        if isinstance(failure, kind):
            return Explained(detail, advice)
    return Explained(f"it cannot be reached: {failure}", _CHECK_ADDRESS)


def fetch(url: str, headers: Mapping[str, str], timeout_s: float) -> Fetched:
    """GET `url`; raises OSError or HTTPException, TimeoutError once `timeout_s` is over however slowly bytes come."""
    return within(timeout_s, lambda: _get(url, headers, timeout_s))


def within(timeout_s: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises; TimeoutError when it takes longer, and then it is left alone in its thread."""
    results: list[T] = []
    failures: list[Exception] = []

    def run() -> None:
        try:
            results.append(work())
        except Exception as failure:  # noqa: BLE001 - handed to whoever waits
            failures.append(failure)

    thread = threading.Thread(target=run, name="ragvigil-doctor", daemon=True)
    thread.start()
    thread.join(timeout_s)
    if failures:
        raise failures[0]
    if not results:
        raise TimeoutError(f"not done within {timeout_s:g} s")
    return results[0]


def _get(url: str, headers: Mapping[str, str], timeout_s: float) -> Fetched:
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("expected an address such as http://127.0.0.1:4318")
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc.rpartition("@")[2], timeout=timeout_s)
    try:
        connection.request("GET", parts.path + (f"?{parts.query}" if parts.query else ""), headers=dict(headers))
        response = connection.getresponse()
        told = {name.lower(): value for name, value in response.getheaders()}
        return Fetched(response.status, told, response.read(_MAX_BYTES))
    finally:
        connection.close()
