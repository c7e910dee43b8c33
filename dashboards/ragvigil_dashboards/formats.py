"""Numbers, times and durations as a person reads them."""

import math
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

DASH = "–"
_MOST_DECIMALS = 9
_SEPARATED_FROM = 10_000


def quantity(value: float | None, unit: str) -> str:
    """A value with its unit: `1840 ms`, `0.0042 USD`, `12.3 %`; a dash where there is none."""
    if value is None:
        return DASH
    if unit == "usd":
        return money(value)
    if unit == "ratio":
        return percent(value)
    return f"{_digits(value)} {unit}".strip()


def signed(change: float, unit: str) -> str:
    """A change with its sign: `+4.1 points` for a ratio, `-12 ms`."""
    if unit == "ratio":
        return f"{change * 100:+.1f} points"
    return f"{'+' if change >= 0 else '-'}{quantity(abs(change), unit)}"


def money(usd: float | None) -> str:
    """US dollars, three significant digits below one dollar: `0.00417 USD`; a dash where there is no price."""
    if usd is None:
        return DASH
    if usd == 0 or abs(usd) >= 1:
        return f"{usd:,.2f} USD"
    decimals = min(2 - math.floor(math.log10(abs(usd))), _MOST_DECIMALS)
    return f"{usd:.{decimals}f}".rstrip("0").rstrip(".") + " USD"


def milliseconds(value: float | None) -> str:
    """A duration of a stage: `0.42 ms`, `38 ms`, `1.84 s`, `3.1 min`."""
    if value is None:
        return DASH
    if value < 9.95:
        return f"{value:.2g} ms" if value else "0 ms"
    if value < 999.5:
        return f"{value:.0f} ms"
    return f"{value / 1000:.3g} s" if value < 99_500 else f"{value / 60_000:,.1f} min"


def percent(share: float | None) -> str:
    """A share in percent; never rounded to 100 % while something is missing."""
    if share is None:
        return DASH
    text = f"{share * 100:.4g}"
    return f"{'99.99' if text == '100' and share < 1 else text} %"


def count(number: int | None) -> str:
    """A count; thousands are separated from five digits on."""
    return DASH if number is None else grouped(number)


def grouped(number: float) -> str:
    """A rounded number: `9875`, `12,500`."""
    return column(number, 0)


def column(value: float | None, decimals: int) -> str:
    """A number of a column whose head names the unit; all with the same decimals, so that they line up."""
    if value is None:
        return DASH
    return f"{value:,.{decimals}f}" if abs(value) >= _SEPARATED_FROM else f"{value:.{decimals}f}"


def span(duration: timedelta) -> str:
    """How long something lasts, in its two largest units: `12 s`, `34 min`, `3 h 5 min`, `6 d 2 h`."""
    seconds = max(0, round(duration.total_seconds()))
    if seconds < 60:
        return f"{seconds} s"
    for size, name, smaller, smaller_name in ((86400, "d", 3600, "h"), (3600, "h", 60, "min")):
        if seconds >= size:
            whole, rest = divmod(seconds, size)
            return f"{whole} {name} {rest // smaller} {smaller_name}" if rest >= smaller else f"{whole} {name}"
    return f"{seconds // 60} min"


def ago(moment: datetime, now: datetime) -> str:
    """How long ago a moment was: `12 s ago`; `just now` for the present and clocks that run ahead."""
    return "just now" if now - moment < timedelta(seconds=1) else f"{span(now - moment)} ago"


def clock(moment: datetime, now: datetime, zone: ZoneInfo, *, seconds: bool = False) -> str:
    """A moment in the reader's zone: `02:15` today, else `Mon 30 Nov 02:15`, with the year when it is another."""
    local, today = moment.astimezone(zone), now.astimezone(zone)
    time = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
    if local.date() == today.date():
        return time
    day = f"{local:%a} {local.day} {local:%b}" if local.year == today.year else f"{local.day} {local:%b %Y}"
    return f"{day} {time}"


def between(start: datetime, end: datetime, now: datetime, zone: ZoneInfo) -> str:
    """A range of time, its day said once: `Mon 30 Nov 02:15 to 03:15`."""
    same_day = start.astimezone(zone).date() == end.astimezone(zone).date()
    return f"{clock(start, now, zone)} to {clock(end, end if same_day else now, zone)}"


def instant(moment: datetime, zone: ZoneInfo) -> str:
    """A moment to the second, with its date and zone: `2026-11-30 02:15:07 CET`."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"


def window(seconds: int) -> str:
    """The name of a trailing window: `1 h`, `24 h`, `7 d`."""
    hours = seconds / 3600
    return f"{hours / 24:g} d" if hours > 48 else f"{hours:g} h"


def _digits(value: float) -> str:
    return grouped(value) if abs(value) >= 100 else f"{value:.3g}"
