"""What can be told from inside the running application."""

import os
import sys
from collections.abc import Iterator
from typing import Final

from ragvigil import current, settings
from ragvigil.counts import Counts
from ragvigil.doctor.adapters import ADAPTERS, PACKAGE
from ragvigil.doctor.finding import Finding, ok, problem, warning
from ragvigil.guard import GUARD
from ragvigil.recorder import Recorder, RecorderState

_MOST_REPORTS: Final = 10


def examined() -> tuple[Finding, ...]:
    """The findings of every check, see `ragvigil.diagnosis`."""
    with GUARD:
        return tuple(_findings(current.recorder))
    return (problem("diagnosis", "failed by itself", "see the log"),)


def _findings(recorder: Recorder | None) -> Iterator[Finding]:
    if recorder is None:
        yield _not_recording()
    else:
        counts, state = recorder.counts(), recorder.state()
        yield ok("recording", "is on")
        yield _spans(counts)
        yield _queue(state)
        yield _key(counts, state)
        yield from _feedback(counts)
        yield from _probes(counts)
        yield from _on_the_way(counts)
    yield _adapters()
    yield from _reports()


def _not_recording() -> Finding:
    if settings.is_disabled(os.environ):
        return problem("recording", "is switched off by OTEL_SDK_DISABLED=true", "unset it and restart")
    return problem("recording", "is not configured in this process", "call ragvigil.configure(...) at start-up")


def _spans(counts: Counts) -> Finding:
    told = f"{counts.started} begun, {counts.exported} acknowledged, {counts.spooled} spooled, {counts.dropped} lost"
    if counts.dropped:
        return problem("spans", told, "see the reports below; the receiver was away too long or refuses them")
    if counts.started == 0 and counts.left_out:
        return warning("spans", f"{told}; {counts.left_out} traces left out", "raise configure(sample=...) to see some")
    if counts.started == 0:
        return warning("spans", told, "nothing is instrumented that ran: add @ragvigil.pipeline or AnswerMiddleware")
    if counts.exported + counts.spooled == 0:
        return warning("spans", told, "none has arrived yet; run `ragvigil doctor` where this application runs")
    return ok("spans", told)


def _queue(state: RecorderState) -> Finding:
    told = f"{state.waiting} traces and feedback events wait"
    if state.waiting and not state.is_delivering:
        return problem(
            "delivery", f"{told}, and no thread delivers them", "restart the process; threads may be forbidden"
        )
    if state.is_half_full:
        return warning("delivery", f"{told}, the queue is half full", "check the receiver; the oldest are dropped next")
    return ok("delivery", told)


def _key(counts: Counts, state: RecorderState) -> Finding:
    if state.has_secret_key:
        return ok("secret key", "is set")
    asked = counts.feedback.tokens_without_key
    told = "is missing: no answer tokens, and hashes that compare within one process only"
    advice = "configure(secret_key=...) with the same 16 bytes or more in every process"
    return (
        problem("secret key", f"{told}; {asked} tokens were asked for", advice)
        if asked
        else warning("secret key", told, advice)
    )


def _feedback(counts: Counts) -> Iterator[Finding]:
    feedback = counts.feedback
    told = f"{feedback.given} taken, {feedback.sent} acknowledged, {feedback.refused} refused, {feedback.dropped} lost"
    if feedback.dropped:
        yield problem("feedback", told, "check the receiver")
    elif feedback.refused:
        yield warning("feedback", told, "the log says why: a call that is not valid, or a token of another key")
    elif feedback.given:
        yield ok("feedback", told)


def _probes(counts: Counts) -> Iterator[Finding]:
    probes = counts.probes
    undone = probes.failed + probes.timed_out + probes.dropped + probes.unsupported
    told = (
        f"{probes.sampled} sampled, {probes.run} run, {probes.failed} failed, {probes.timed_out} timed out, "
        f"{probes.dropped} dropped, {probes.unsupported} not possible"
    )
    if undone:
        yield warning("probes", told, "name filter= and top_k= on @retriever, or take it out with probe=False")
    elif probes.sampled:
        yield ok("probes", told)


def _on_the_way(counts: Counts) -> Iterator[Finding]:
    """What becomes of content and files; nothing where all is as it should be."""
    if counts.redaction.withheld:
        told = f"{counts.redaction.withheld} texts were withheld, because a redactor failed"
        yield problem("redaction", told, "mend the redactor; it must give text for every text")
    spool = counts.spool
    if spool.failed or spool.corrupt or spool.evicted:
        told = (
            f"{spool.failed} attempts failed, {spool.corrupt} files damaged, {spool.evicted} frames given up for room"
        )
        yield problem("spool", told, "check space and rights of the directory, or raise max_spool_bytes")
    bridge = counts.bridge
    if bridge.dropped or bridge.failed:
        told = f"{bridge.given} spans given to your own processors, {bridge.dropped} dropped, {bridge.failed} failed"
        yield warning("bridge", told, "a span processor of the application is slow or raises")


def _adapters() -> Finding:
    active = [name for name in ADAPTERS if PACKAGE + name in sys.modules]
    return ok("adapters", f"in use: {', '.join(active) or 'none, only decorators'}")


def _reports() -> Iterator[Finding]:
    said = GUARD.problems()
    for text in said[:_MOST_REPORTS]:
        yield warning("report", text, "")
    if len(said) > _MOST_REPORTS:
        yield warning("report", f"{len(said) - _MOST_REPORTS} more", "see the log")
