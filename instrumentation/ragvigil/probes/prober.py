"""From a search that was done to its probe."""

from collections.abc import Callable
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, Final

from ragvigil.dialects import Unreadable
from ragvigil.documents import Documents
from ragvigil.guard import GUARD
from ragvigil.observation import Arguments, FollowUp, Keywords, Observation
from ragvigil.predicates import Filter
from ragvigil.probes.passes import DroppedClauses
from ragvigil.probes.probe import LoopProbe, Probe, ThreadProbe
from ragvigil.probes.snapshot import snapshot
from ragvigil.probes.span import ProbeSpan
from ragvigil.results import Results
from ragvigil.searches import Asked, NotProbeable
from ragvigil.stages import Stage
from ragvigil.wrapping import is_async, wrap

if TYPE_CHECKING:
    from ragvigil.opentrace import OpenTrace

Call = tuple[Arguments, dict[str, Any]]

_ITSELF: Final = frozenset({"self", "cls"})


class Prober:
    """Has some calls of one function done again: without their relevance clauses, at twice the depth."""

    def __init__(self, function: Callable[..., Any], arguments: Asked, results: Results) -> None:
        self._function = function
        self._arguments = arguments
        self._results = results
        self._is_async = is_async(function)
        self._is_method = _is_method(function)

    def consider(self, stage: Stage, arguments: Arguments, keywords: Keywords) -> FollowUp | None:
        """Before a call: what has it probed when its answer has ended; None where it is not in the sample.

        Its arguments are copied here, since what the probe asks must be what this call asked. Only a call that
        succeeds is to be probed, and only if its filter has clauses of relevance.
        """
        trace = stage.trace
        if trace is None or trace.probe_id is not None or not trace.recorder.probe_sample.takes(stage.trace_number):
            return None
        said = stage.fields.get("filter")
        again = self._again(said, arguments, keywords)
        return partial(self._follow, trace, stage, said, again, arguments, keywords)

    def _again(self, said: object, arguments: Arguments, keywords: Keywords) -> Call | Exception:
        """The arguments of the probe, or why there are none."""
        try:
            if not isinstance(said, Filter) or not said.relevance_conjuncts():
                raise NotProbeable("its arguments have no clause of relevance")
            itself = arguments[:1] if self._is_method else ()
            return self._arguments.relaxed(said, *snapshot(arguments, keywords, itself))
        except Exception as problem:  # noqa: BLE001 - arguments of any type may fail in any way, and then there is none
            return problem.with_traceback(None)

    def _follow(
        self,
        trace: "OpenTrace",
        stage: Stage,
        said: object,
        again: Call | Exception,
        arguments: Arguments,
        keywords: Keywords,
    ) -> None:
        told = stage.fields.get("filter")
        if not isinstance(told, Filter) or not told.relevance_conjuncts():
            return
        trace.recorder.count_probe("sampled")
        try:
            asked = self._confirmed(told, said, again, arguments, keywords)
            probe = self._probe(stage, told, asked, trace.probability * trace.recorder.probe_sample.share)
        except Exception as problem:  # noqa: BLE001 - as above
            trace.recorder.count_probe("unsupported")
            why = problem if isinstance(problem, NotProbeable | Unreadable) else type(problem).__name__
            GUARD.report(f"a search cannot be probed: {why}")
            return
        if not trace.defer(partial(trace.recorder.submit_probe, probe)):
            trace.recorder.count_probe("dropped")

    def _confirmed(
        self, told: Filter, said: object, again: Call | Exception, arguments: Arguments, keywords: Keywords
    ) -> Call:
        """The arguments of the probe, if the call has neither changed its filter nor told another one."""
        if isinstance(again, Exception):
            raise again
        if not isinstance(said, Filter) or told.relevance_part() != said.relevance_part():
            raise Unreadable("it is not, or no longer, the filter that was recorded")
        self._arguments.relaxed(said, arguments, keywords)
        return again

    def _probe(self, stage: Stage, said: Filter, call: Call, share: float) -> Probe:
        found = stage.fields.get("output_documents")
        if not isinstance(found, Documents):
            raise NotProbeable("its documents cannot be read")
        asked, named = call
        probed, dropped = stage.get_span_context(), said.relevance_conjuncts()
        observation = Observation(
            lambda: ProbeSpan(probed, dropped, share),
            self._arguments.record,
            partial(self._results.record_probe, DroppedClauses(said, found.ids)),
        )
        search: Callable[[], Any] = partial(wrap(self._function, observation), *asked, **named)
        if not self._is_async:
            return ThreadProbe(search)
        from asyncio import get_running_loop  # loaded by now, and not by our import

        return LoopProbe(search, get_running_loop())


def _is_method(function: Callable[..., Any]) -> bool:
    """Whether the first argument is whoever searches, and no part of what is asked."""
    with GUARD:
        return next(iter(signature(function).parameters), None) in _ITSELF
    return False
