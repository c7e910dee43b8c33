"""Annotations by HTTP: `POST {url}/v1/span_annotations?sync=true`, which says whether the spans are there."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import httpx

from ragvigil_monitor.phoenix.annotation import Annotation
from ragvigil_monitor.phoenix.forwarder import authorization
from ragvigil_monitor.settings import Phoenix

TURN_S: Final = 10.0
"""After this time no further attempt is begun: the guardrails, and the end of the service, wait for a turn."""
_NOT_ABOUT_THE_ANNOTATION: Final = {401, 403, 408, 429}
_MOST_QUOTED: Final = 200


class Reply(Enum):
    """How an attempt ended."""

    TAKEN = "taken"
    NOT_TAKEN = "not taken"
    UNREACHED = "unreached"


@dataclass(frozen=True, slots=True)
class Sent:
    """An annotation, what Phoenix said of it, and in which words if it did not take it."""

    annotation: Annotation
    reply: Reply
    error: str | None


def send(
    settings: Phoenix, annotations: Sequence[Annotation], *, monotonic_s: Callable[[], float] = time.monotonic
) -> list[Sent]:
    """Send all together; each alone where Phoenix does not take them so, since it then takes none.

    As soon as Phoenix is not reached, or TURN_S are over, that one is the last: the rest is left out, untried.
    One is always tried.
    """
    ends_s = monotonic_s() + TURN_S
    with httpx.Client(timeout=settings.timeout_s, headers=authorization(settings), follow_redirects=False) as client:
        reply, error = _post(client, settings, annotations)
        if reply is Reply.NOT_TAKEN and len(annotations) > 1:
            return list(_one_by_one(client, settings, annotations, lambda: monotonic_s() >= ends_s))
    tried = annotations[:1] if reply is Reply.UNREACHED else annotations
    return [Sent(annotation, reply, error) for annotation in tried]


def _one_by_one(
    client: httpx.Client, settings: Phoenix, annotations: Sequence[Annotation], is_over: Callable[[], bool]
) -> Iterator[Sent]:
    for annotation in annotations:
        reply, error = _post(client, settings, [annotation])
        yield Sent(annotation, reply, error)
        if reply is Reply.UNREACHED or is_over():
            return


def _post(client: httpx.Client, settings: Phoenix, annotations: Sequence[Annotation]) -> tuple[Reply, str | None]:
    body = {"data": [annotation.as_sent() for annotation in annotations]}
    try:
        answer = client.post(f"{settings.url}/v1/span_annotations", params={"sync": "true"}, json=body)
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as failure:
        return Reply.UNREACHED, f"{type(failure).__name__}: {failure}"
    if answer.is_success:
        return Reply.TAKEN, None
    error = f"HTTP {answer.status_code}: {answer.text[:_MOST_QUOTED]}"
    about_it = answer.is_client_error and answer.status_code not in _NOT_ABOUT_THE_ANNOTATION
    return Reply.NOT_TAKEN if about_it else Reply.UNREACHED, error
