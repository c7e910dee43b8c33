"""Times of spans and log records: nanoseconds since the epoch in, microseconds out."""

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
EARLIEST_US: Final = (datetime(2000, 1, 1, tzinfo=UTC) - _EPOCH) // _MICROSECOND
"""Nothing was traced before; earlier times, 0 above all, are unset or broken clocks."""
FURTHEST_AHEAD_US: Final = timedelta(hours=1) // _MICROSECOND
"""How far a sender's clock may run ahead of ours."""


def microseconds(moment: datetime) -> int:
    """Microseconds since the epoch of an aware datetime."""
    return (moment - _EPOCH) // _MICROSECOND


def believable(unix_nano: int, received_us: int) -> int | None:
    """The time in microseconds; None when it is unset, before 2000 or more than an hour in the future."""
    found = unix_nano // 1000
    return found if EARLIEST_US <= found <= received_us + FURTHEST_AHEAD_US else None


def moment(since_epoch_us: int) -> datetime:
    """The aware datetime of microseconds since the epoch."""
    return _EPOCH + since_epoch_us * _MICROSECOND
