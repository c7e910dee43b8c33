"""Testing a window of the store against its reference, and the job that does so for each day."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import orjson
import pyarrow as pa

from ragvigil_monitor.drift.days import DAY, encoders
from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.drift.evidence import MOST_OF_WINDOW, Comparison, SliceContribution, compare
from ragvigil_monitor.drift.reference import reference_at
from ragvigil_monitor.drift.sample import Sample, sample_before, sample_of_reference, sample_of_window
from ragvigil_monitor.job import Turn, Write
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store, Writer

_DAY_S = 86400
_EVIDENCE: Final = pa.schema(
    {
        "window_end": pa.timestamp("us"),
        "window_s": pa.int32(),
        "model": pa.string(),
        "dimension": pa.int32(),
        "version": pa.int32(),
        "n": pa.int32(),
        "m": pa.int32(),
        "mmd2": pa.float64(),
        "p": pa.float64(),
        "approximate_p": pa.float64(),
        "permutations": pa.int32(),
        "gamma": pa.float64(),
        "auc": pa.float64(),
        "auc_p": pa.float64(),
        "duplicate_share": pa.float64(),
        "deduplicated_p": pa.float64(),
        "slices": pa.string(),
        "trace_ids": pa.list_(pa.string()),
    }
)


def compare_days(service: Service, turn: Turn) -> Write:
    """Test the busiest encoder of each day that ends at an end of the turn.

    Samples that no later test needs are forgotten here: whoever draws days is ahead of this when jobs catch up.
    """
    store, weeks = service.store, service.settings.guardrails.query_drift.reference_weeks
    busiest = [(encoder, end) for end in turn.ends for encoder in encoders(store, end - DAY, end)[:1]]
    compared = [compared_window(store, encoder, end, weeks=weeks) for encoder, end in busiest]

    def write(writer: Writer) -> None:
        for window in compared:
            window.keep(writer)
        writer.execute("forget_day_samples", before=turn.ends[0] - DAY - timedelta(weeks=weeks))

    return write


@dataclass(frozen=True, slots=True)
class ComparedWindow:
    """What the tests say of the day before `end`, None where there is too little; and its row, if it is to be kept."""

    end: datetime
    found: Comparison | None
    row: dict[str, Any] | None = None

    def keep(self, writer: Writer) -> None:
        """Store what was found."""
        if self.row is not None:
            writer.execute_with("replace_drift_evidence", pa.Table.from_pylist([self.row], schema=_EVIDENCE))


def newest_comparison(store: Store, encoder: Encoder, earliest: datetime, latest: datetime) -> ComparedWindow | None:
    """The newest test that was kept of a window that ends between two times, both included."""
    rows = store.rows("newest_drift_evidence", earliest=earliest, latest=latest, **encoder.columns)
    if not rows:
        return None
    slices = [SliceContribution(**each) for each in orjson.loads(rows[0].pop("slices"))]
    return ComparedWindow(rows[0].pop("window_end"), Comparison(**rows[0], slices=slices))


def compared_window(store: Store, encoder: Encoder, end: datetime, *, weeks: int) -> ComparedWindow:
    """Test the day before `end`. Before the first reference, `weeks` of history stand for one."""
    reference = reference_at(store, encoder, end)
    version = None if reference is None else reference.version
    found = compare(*samples(store, encoder, end, version=version, weeks=weeks))
    return ComparedWindow(end, found, None if found is None else _row(found, encoder, end, version))


def samples(store: Store, encoder: Encoder, end: datetime, *, version: int | None, weeks: int) -> tuple[Sample, Sample]:
    """The vectors of a reference and of the day before `end`; `weeks` of history where `version` is None."""
    start = end - DAY
    reference = (
        sample_before(store, encoder, start, weeks) if version is None else sample_of_reference(store, encoder, version)
    )
    return reference, sample_of_window(store, encoder, start, end, most=MOST_OF_WINDOW)


def _row(found: Comparison, encoder: Encoder, end: datetime, version: int | None) -> dict[str, Any]:
    slices = orjson.dumps([asdict(each) for each in found.slices]).decode()
    key = {"window_end": end, "window_s": _DAY_S, **encoder.columns, "version": version}
    return {**key, **asdict(found), "slices": slices}
