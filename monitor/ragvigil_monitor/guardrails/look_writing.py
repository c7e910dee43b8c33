"""What the looks of a guardrail found, into rows."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pyarrow as pa

from ragvigil_monitor.guardrails.finding import Finding, Limits
from ragvigil_monitor.guardrails.guardrail import Guardrail
from ragvigil_monitor.guardrails.standing import Standing
from ragvigil_monitor.store import Writer

_TIME: Final = pa.timestamp("us")
_AMOUNTS: Final = (
    "value",
    "lower",
    "upper",
    "alarm_lower",
    "alarm_upper",
    "limit_value",
    "lower_limit_value",
    "expected_value",
)
_ESTIMATES: Final = pa.schema(
    {
        "signal": pa.string(),
        "series": pa.string(),
        "window_end": _TIME,
        "window_s": pa.int32(),
        **{name: pa.float64() for name in _AMOUNTS},
        "unit": pa.string(),
        "n": pa.int64(),
        "missing": pa.int64(),
        "state": pa.string(),
    }
)


def write_estimates(writer: Writer, guardrail: Guardrail[Any], found: Sequence[Finding]) -> None:
    """Add one row for each series, window and look."""
    if found:
        rows = [_estimate_row(guardrail, finding) for finding in found]
        writer.execute_with("insert_estimates", pa.Table.from_pylist(rows, schema=_ESTIMATES))


def write_standings(
    writer: Writer, guardrail: Guardrail[Any], before: Mapping[str, Standing], now: Mapping[str, Standing]
) -> None:
    """Replace what was said of each series; forget those that are no longer guarded."""
    for series in sorted(before.keys() - now.keys()):
        writer.execute("forget_guardrail_state", guardrail=guardrail.name, series=series)
    if now:
        rows = [_standing_row(guardrail, standing) for standing in now.values()]
        writer.execute_with("replace_guardrail_states", pa.Table.from_pylist(rows))


def _estimate_row(guardrail: Guardrail[Any], finding: Finding) -> dict[str, Any]:
    estimate, limits = finding.estimate, finding.limits or Limits()
    return {
        "signal": guardrail.signal.name,
        "series": finding.series,
        "window_end": finding.window.end,
        "window_s": finding.window.length_s,
        "value": estimate.value,
        "lower": estimate.lower,
        "upper": estimate.upper,
        "alarm_lower": estimate.alarm_lower,
        "alarm_upper": estimate.alarm_upper,
        "limit_value": limits.upper,
        "lower_limit_value": limits.lower,
        "expected_value": limits.expected,
        "unit": guardrail.signal.unit,
        "n": estimate.n,
        "missing": estimate.missing,
        "state": finding.state.value,
    }


def _standing_row(guardrail: Guardrail[Any], standing: Standing) -> dict[str, Any]:
    return {
        "guardrail": guardrail.name,
        "series": standing.series,
        "state": standing.state.value,
        "since": standing.since,
        "evaluated_at": standing.evaluated_at,
        "sentence": standing.sentence,
    }
