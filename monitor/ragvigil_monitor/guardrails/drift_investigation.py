"""What made the query vectors of a window drift: slices and queries from a permutation test, and since when."""

from dataclasses import dataclass
from datetime import datetime

from ragvigil_monitor.drift.comparing import compared_window, newest_comparison
from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.evidence import SliceContribution
from ragvigil_monitor.drift.onset_counts import unusual_by_hour
from ragvigil_monitor.guardrails.drift_words import comparison_note
from ragvigil_monitor.guardrails.finding import Attribution, HoursBeyond
from ragvigil_monitor.guardrails.models import SliceShare
from ragvigil_monitor.signals.signal import Window
from ragvigil_monitor.store import Store


@dataclass(frozen=True, slots=True)
class DriftInvestigation:
    """Of a window whose encoder has a reference. weeks: of history that stand for one where there is none."""

    encoder: Encoder
    window: Window
    weeks: int

    def attribution(self, store: Store, since: datetime) -> Attribution:
        """The newest permutation test since then, or a new one, and what contributes most to it."""
        kept = newest_comparison(store, self.encoder, since, self.window.end)
        compared = kept or compared_window(store, self.encoder, self.window.end, weeks=self.weeks)
        found = compared.found
        slices = [] if found is None else [_share(each) for each in found.slices]
        trace_ids = [] if found is None else found.trace_ids
        return Attribution(comparison_note(compared), slices, trace_ids, compared.keep)

    def by_hour(self, store: Store, start: datetime, end: datetime) -> HoursBeyond:
        """Queries that are unusual as those of the window are."""
        return HoursBeyond(*unusual_by_hour(store, self.encoder, self.window, (start, end)))


def _share(found: SliceContribution) -> SliceShare:
    return SliceShare(name="intent", value=found.value, n=found.n, estimate=found.contribution, excess=found.excess)
