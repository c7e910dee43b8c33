"""OTLP over HTTP with protobuf bodies, on one kept-alive connection of the standard library."""

import gzip
import http.client
from collections.abc import Container, Mapping
from dataclasses import replace
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse

from ragvigil.addresses import without_secrets
from ragvigil.export.exporter import Delivery, Outcome, Signal

_RETRYABLE: Final = frozenset({429, 502, 503, 504})
_MAX_RESPONSE_BYTES: Final = 1 << 20
_LONGEST_SAID: Final = 200


class HttpExporter:
    """Posts to `traces_url` and `logs_url`; each attempt takes at most `timeout_s` a socket operation.

    retryable: status codes after which the same request is worth another attempt.
    """

    def __init__(
        self,
        traces_url: str,
        logs_url: str,
        headers: Mapping[str, str],
        timeout_s: float,
        *,
        compress: bool = False,
        retryable: Container[int] = _RETRYABLE,
    ) -> None:
        self._urls = {Signal.TRACES: traces_url, Signal.LOGS: logs_url}
        self._headers = {**headers, "Content-Type": "application/x-protobuf"}
        if compress:
            self._headers["Content-Encoding"] = "gzip"
        self._compress = compress
        self._timeout_s = timeout_s
        self._retryable = retryable
        self._connections: dict[tuple[str, str], http.client.HTTPConnection] = {}

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        """Try once; a connection that the receiver has closed meanwhile is opened again."""
        body = gzip.compress(payload, compresslevel=1) if self._compress else payload
        try:
            return self._exchange(signal, body)
        except (OSError, http.client.HTTPException) as failure:
            self.close()
            reason = f"{without_secrets(self._urls[signal])}: {_described(failure)}"
            return Delivery(Outcome.RETRY, reason=reason, failure=failure)

    def close(self) -> None:
        """Close the connections."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _exchange(self, signal: Signal, body: bytes) -> Delivery:
        url = urlsplit(self._urls[signal])
        server = (url.scheme, url.netloc)
        kept = self._connections.pop(server, None)
        if kept is not None:
            try:
                return self._post(kept, server, signal, body)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                kept.close()
        return self._post(_connect(url.scheme, url.netloc, self._timeout_s), server, signal, body)

    def _post(
        self, connection: http.client.HTTPConnection, server: tuple[str, str], signal: Signal, body: bytes
    ) -> Delivery:
        url = urlsplit(self._urls[signal])
        target = (url.path or "/") + (f"?{url.query}" if url.query else "")
        try:
            connection.request("POST", target, body, self._headers)
            response = connection.getresponse()
            content = response.read(_MAX_RESPONSE_BYTES)
        except BaseException:
            connection.close()
            raise
        if response.isclosed():
            self._connections[server] = connection
        else:
            connection.close()
        if 200 <= response.status < 300 and response.headers.get_content_type() == "text/html":
            # The sign-in page of a proxy, or another server: what it was sent is nowhere.
            reason = f"HTTP {response.status} with a web page: this is no OTLP receiver"
            return Delivery(Outcome.RETRY, reason=reason, status=response.status)
        if 200 <= response.status < 300:
            rejected, message = _partial_success(signal, content)
            reason, said = _reason(response), _printable(message)
            return Delivery(Outcome.ACCEPTED, rejected=rejected, reason=reason, status=response.status, said=said)
        return self._failure(response, content)

    def _failure(self, response: http.client.HTTPResponse, content: bytes) -> Delivery:
        refused = Delivery(
            Outcome.REFUSED,
            reason=_reason(response),
            status=response.status,
            said=_printable(content.decode(errors="replace")),
        )
        if response.status in self._retryable:
            return replace(refused, outcome=Outcome.RETRY, retry_after_s=_retry_after_s(response))
        return refused


def _reason(response: http.client.HTTPResponse) -> str:
    """The status in the words of the standard, not in those of the receiver."""
    return f"HTTP {response.status} {http.client.responses.get(response.status, '')}".rstrip()


def _described(failure: Exception) -> str:
    """What failed; what does not speak HTTP is told by its kind, since its text is what was received."""
    return repr(failure) if isinstance(failure, OSError) else type(failure).__name__


def _printable(text: str) -> str:
    """Its beginning, in one line that a terminal takes for nothing else."""
    shown = "".join([character if character.isprintable() else " " for character in text[:_LONGEST_SAID]])
    return " ".join(shown.split())


def _connect(scheme: str, netloc: str, timeout_s: float) -> http.client.HTTPConnection:
    kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
    return kind(netloc.rpartition("@")[2], timeout=timeout_s)


def _partial_success(signal: Signal, content: bytes) -> tuple[int, str]:
    """How many items the receiver rejected; a body that is no protobuf says nothing about that."""
    try:
        if signal is Signal.TRACES:
            traces = ExportTraceServiceResponse.FromString(content).partial_success
            return traces.rejected_spans, traces.error_message
        logs = ExportLogsServiceResponse.FromString(content).partial_success
        return logs.rejected_log_records, logs.error_message
    except DecodeError:
        return 0, ""


def _retry_after_s(response: http.client.HTTPResponse) -> float | None:
    """Seconds from a `Retry-After` header; its date form is taken relative to the receiver's own clock."""
    value = response.getheader("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        until = parsedate_to_datetime(value) - parsedate_to_datetime(response.getheader("Date", ""))
    except (ValueError, TypeError):
        return None
    return max(0.0, until.total_seconds())
