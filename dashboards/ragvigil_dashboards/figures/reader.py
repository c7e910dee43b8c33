"""Who reads: the present moment and their time zone."""

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from ragvigil_dashboards import formats
from ragvigil_dashboards.markup import Markup, tag


@dataclass(frozen=True, slots=True)
class Reader:
    """`now` is aware; `zone` is the zone that times are shown in."""

    now: datetime
    zone: ZoneInfo

    def when(self, moment: datetime, *, seconds: bool = False) -> Markup:
        """A moment in short, with the exact one on hover."""
        exact = formats.instant(moment, self.zone)
        return tag(
            "time",
            formats.clock(moment, self.now, self.zone, seconds=seconds),
            title=exact,
            datetime=moment.isoformat(),
        )

    def between(self, start: datetime, end: datetime) -> Markup:
        """A range of time, with the exact moments on hover."""
        exact = f"{formats.instant(start, self.zone)} to {formats.instant(end, self.zone)}"
        return tag("span", formats.between(start, end, self.now, self.zone), title=exact, class_="rv-nowrap")

    def ago(self, moment: datetime) -> str:
        """How long ago a moment was."""
        return formats.ago(moment, self.now)
