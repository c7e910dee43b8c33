"""What the drift guardrail says, in sentences with numbers."""

from datetime import timedelta

from ragvigil_monitor.drift.comparing import ComparedWindow
from ragvigil_monitor.drift.evidence import Comparison, SliceContribution
from ragvigil_monitor.guardrails.models import State
from ragvigil_monitor.guardrails.sentence import NO_ANSWER_YET
from ragvigil_monitor.signals.query_drift import Drift
from ragvigil_monitor.signals.signal import Window
from ragvigil_monitor.statistics.drift_replay import MINIMUM

_DAY = timedelta(days=1)


def waiting_sentence(series: str, weeks: int, *, answered_before: bool) -> str:
    """Until the first vector."""
    nothing = "No answer so far came with a query vector" if answered_before else NO_ANSWER_YET
    return f"{nothing}; query {series} takes {weeks} weeks of query vectors for a reference."


def uncalibrated_sentence(series: str, drift: Drift, window: Window, weeks: int) -> str:
    """Until the first reference: how far it is, and the size of the last day's effect."""
    if drift.since is None:
        return _nothing(drift)
    days, wanted = (window.end - drift.since) // _DAY, 7 * weeks
    history = (
        f"has {days} of the {wanted} days of query vectors that a reference takes"
        if days < wanted
        else f"has {wanted} days of query vectors, but not ten of them with {MINIMUM} or more"
    )
    return (
        f"Query {series} is uncalibrated: {drift.encoder} {history}; n = {drift.n} over the last 24 h.{_effect(drift)}"
    )


def drift_sentence(series: str, drift: Drift, state: State, *, limit: float, per_week: float) -> str:
    """For example: "Query mix over the last 24 h: 12.3 (n = 1432), limit 41.2 (0.06 false alarms a week …)."."""
    if state is State.NO_POWER:
        return (
            f"Query {series} over the last 24 h: {drift.n} query vectors{_missing(drift)}, limit {limit:.3g}. "
            f"A verdict needs {MINIMUM - drift.n} more."
        )
    calibration = "" if drift.quiet is None else f", by a replay of {drift.quiet.days} days"
    return (
        f"Query {series} over the last 24 h: {drift.value:.3g} (n = {drift.n}{_missing(drift)}), "
        f"limit {limit:.3g} ({per_week:.2g} false alarms a week{calibration})."
    )


def comparison_note(compared: ComparedWindow) -> str:
    """What the permutation test adds to an alarm."""
    found = compared.found
    if found is None:
        return "Too few single vectors for a permutation test."
    tail = "" if found.approximate_p is None else f", about {found.approximate_p:.1g} by a Pearson III tail"
    copies = (
        ""
        if found.deduplicated_p is None
        else f" {found.duplicate_share:.0%} of the queries are copies; without them p = {found.deduplicated_p:.2g}."
    )
    return (
        f"The day up to {compared.end:%Y-%m-%d %H:%M} against {found.n} queries of the same season: "
        f"MMD² {found.mmd2:.3g}, p = {found.p:.2g} of {found.permutations} permutations{tail} (exact for independent "
        f"queries only); a linear classifier tells them apart with AUC {found.auc:.2f}.{copies}{_first_slice(found)}"
    )


def _first_slice(found: Comparison) -> str:
    if not found.slices or found.mmd2 <= 0:
        return ""
    first: SliceContribution = found.slices[0]
    share = first.contribution / found.mmd2
    return (
        f" The intent {first.value} adds {share:.0%} of it: {first.n} queries, {first.excess:+.0f} against the season."
    )


def _nothing(drift: Drift) -> str:
    unusable = f" (and {drift.missing} that cannot be used)" if drift.missing else ""
    return f"No query vector over the last 24 h{unusable}, although some came before: missing evidence."


def _missing(drift: Drift) -> str:
    return f", {drift.missing} more unusable or of another encoder" if drift.missing else ""


def _effect(drift: Drift) -> str:
    if drift.effect is None or drift.effect.found is None:
        return ""
    found = drift.effect.found
    return (
        f" Effect size of the day up to {drift.effect.end:%Y-%m-%d %H:%M}: MMD² {found.mmd2:.2g}, AUC {found.auc:.2f}."
    )
