"""A Phoenix that is slow to refuse holds up the other jobs for a bounded time only."""

from itertools import count

import pytest

from ragvigil.testing import Receiver, Reply
from ragvigil_monitor.phoenix.annotation import Annotation
from ragvigil_monitor.phoenix.annotation_client import Reply as Said
from ragvigil_monitor.phoenix.annotation_client import Sent, send
from ragvigil_monitor.settings import Phoenix

DUE = [Annotation("review", f"label {number}", "partly", b"t" * 16, b"s" * 8, 0, 0) for number in range(8)]


def sent(phoenix: Receiver, *, each_takes_s: float) -> list[Sent]:
    settings = Phoenix(url=phoenix.endpoint, timeout_s=5)
    return send(settings, DUE, monotonic_s=count(0.0, each_takes_s).__next__)


@pytest.mark.parametrize(("each_takes_s", "tried"), [(0.5, 8), (4, 3), (9, 2), (60, 1)])
def test_slow_refusals_end_a_turn_and_the_rest_is_left_for_the_next(
    phoenix: Receiver, each_takes_s: float, tried: int
) -> None:
    phoenix.answers = [Reply(404)] * 9
    assert [(each.annotation, each.reply) for each in sent(phoenix, each_takes_s=each_takes_s)] == [
        (annotation, Said.NOT_TAKEN) for annotation in DUE[:tried]
    ]
    assert len(phoenix.requests) == 1 + tried


def test_what_is_taken_together_is_never_cut(phoenix: Receiver) -> None:
    assert [each.reply for each in sent(phoenix, each_takes_s=60)] == [Said.TAKEN] * 8
