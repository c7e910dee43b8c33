"""A running service as the other end of an export or import."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import httpx
import pyarrow as pa

from ragvigil_monitor.errors import FileRefused, TransferFailed
from ragvigil_monitor.receiver.bodies import PROTOBUF
from ragvigil_monitor.receiver.files.found import Found
from ragvigil_monitor.store.putting_in import PutIn
from ragvigil_monitor.store.taking_out import Within
from ragvigil_monitor.transfer.exporting import Format, Part
from ragvigil_monitor.transfer.framed_parts import unframed
from ragvigil_monitor.transfer.importing import Outcomes
from ragvigil_monitor.transfer.parquet import to_ipc

_EXPORT: Final = "/api/v1/admin/whole-export"
_SCHEMA: Final = "/api/v1/admin/schema"
_IMPORT: Final = "/api/v1/admin/import"
_LINES: Final = {"Content-Type": "application/x-ndjson"}
_PROTOBUF: Final = {"Content-Type": PROTOBUF}
_ARROW: Final = {"Content-Type": "application/vnd.apache.arrow.stream"}
_TIMEOUT: Final = httpx.Timeout(30.0, read=600.0)
_OF_THE_FILE: Final = {httpx.codes.REQUEST_ENTITY_TOO_LARGE, httpx.codes.UNPROCESSABLE_ENTITY}
_TRIES: Final = 10
_CHUNK_BYTES: Final = 1 << 20


class RemoteEnd:
    """A service at an address, with its admin key; a context manager.

    advice: what to do where that service cannot be used.
    """

    def __init__(self, url: str, key: str, advice: str | None = None) -> None:
        self._url = url
        self._advice = "" if advice is None else f" ({advice})"
        headers = {"Authorization": f"Bearer {key}"}
        self._client = httpx.Client(base_url=url, headers=headers, timeout=_TIMEOUT, trust_env=False)

    def __enter__(self) -> "RemoteEnd":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def schema_number(self) -> int:
        """As `End` says."""
        with self._explained():
            said = _checked(self._client.get(_SCHEMA)).json()
            return int(said["schema_number"])

    def files(self, form: Format, within: Within) -> Iterator[tuple[Part, Iterator[bytes]]]:
        """As `End` says."""
        with self._explained(), self._client.stream("GET", _EXPORT, params=_query(form, within)) as answer:
            if answer.is_error:
                answer.read()
            yield from unframed(_checked(answer).iter_bytes(_CHUNK_BYTES))

    def put_requests(self, requests: Sequence[Found]) -> Outcomes:
        """As `End` says."""
        outcomes = self._put_together(requests)
        is_protobuf = requests[0].content_type == PROTOBUF
        if is_protobuf and len(requests) > 1 and any(outcome.startswith("rejected_request_") for outcome in outcomes):
            return sum((self._put_together([request]) for request in requests), Counter())
        return outcomes

    def _put_together(self, requests: Sequence[Found]) -> Outcomes:
        is_protobuf = requests[0].content_type == PROTOBUF
        # requests in protobuf that follow each other are one request, since all they have is a list
        body = (b"" if is_protobuf else b"\n").join(request.body for request in requests)
        headers = _PROTOBUF if is_protobuf else _LINES
        answer = self._post(f"{_IMPORT}/requests/{requests[0].signal}", body, headers)
        refused = {f"rejected_{reason}": pieces for reason, pieces in answer["refused"].items()}
        return Counter(answer["outcomes"]) + Counter(refused)

    def put_rows(self, table: str, rows: pa.Table) -> PutIn:
        """As `End` says."""
        return PutIn(**self._post(f"{_IMPORT}/rows/{table}", to_ipc(rows), _ARROW))

    def _post(self, path: str, body: bytes, headers: dict[str, str]) -> dict[str, Any]:
        """The answer; tried again while the service cannot store it now."""
        with self._explained():
            for _ in range(_TRIES):
                answer = self._client.post(path, content=body, headers=headers)
                if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                    break
                time.sleep(min(30.0, float(answer.headers.get("Retry-After", 1))))
            found: dict[str, Any] = _checked(answer).json()
        return found

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except FileRefused:
            raise
        except TransferFailed as failure:
            raise TransferFailed(f"{failure}{self._advice}") from failure
        except (httpx.HTTPError, httpx.InvalidURL, ValueError, TypeError, KeyError) as failure:
            reason = str(failure) or type(failure).__name__
            raise TransferFailed(f"{self._url}: {reason}{self._advice}") from failure


def _query(form: Format, within: Within) -> dict[str, str]:
    bounds = {"start": within.start, "end": within.end}
    return {"format": form.value} | {name: bound.isoformat() for name, bound in bounds.items() if bound is not None}


def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.is_success:
        return answer
    try:
        said = str(answer.json()["detail"])
    except (ValueError, KeyError, TypeError):
        said = "it does not answer as Ragvigil does"
    failure = FileRefused if answer.status_code in _OF_THE_FILE else TransferFailed
    raise failure(f"The service at {answer.url.copy_with(path='/', query=None)} says {answer.status_code}: {said}")
