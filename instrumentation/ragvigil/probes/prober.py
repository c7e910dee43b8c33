"""From a search that was done to its probe."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ragvigil.documents import Documents
from ragvigil.guard import GUARD
from ragvigil.observation import Arguments, Keywords, Observation
from ragvigil.predicates import Filter
from ragvigil.probes.passes import DroppedClauses
from ragvigil.probes.probe import LoopProbe, Probe, ThreadProbe
from ragvigil.probes.span import ProbeSpan
from ragvigil.results import Results
from ragvigil.searches import Asked
from ragvigil.stages import Stage
from ragvigil.wrapping import is_async, wrap

if TYPE_CHECKING:
    from ragvigil.recorder import Recorder


class Prober:
    """Has some calls of one function done again: without their relevance clauses, at twice the depth."""

    def __init__(self, function: Callable[..., Any], arguments: Asked, results: Results) -> None:
        self._function = function
        self._arguments = arguments
        self._results = results
        self._is_async = is_async(function)

    def consider(self, stage: Stage, arguments: Arguments, keywords: Keywords) -> None:
        """After a call: have it probed when its answer has ended, if it is in the sample and has such clauses."""
        trace = stage.trace
        if trace is None or trace.probe_id is not None or not trace.recorder.probe_sample.takes(stage.trace_number):
            return
        said = stage.fields.get("filter")
        if not isinstance(said, Filter) or not said.relevance_conjuncts():
            return
        trace.recorder.count_probe("sampled")
        probe = self._prepared(trace.recorder, stage, said, arguments, keywords)
        if probe is not None and not trace.defer(partial(trace.recorder.submit_probe, probe)):
            trace.recorder.count_probe("dropped")

    def _prepared(
        self, recorder: "Recorder", stage: Stage, said: Filter, arguments: Arguments, keywords: Keywords
    ) -> Probe | None:
        try:
            return self._probe(stage, said, arguments, keywords, recorder.probe_sample.share)
        except Exception as problem:  # noqa: BLE001 - arguments of any type may fail in any way, and then there is none
            recorder.count_probe("unsupported")
            GUARD.report(f"a search cannot be probed: {problem}")
            return None

    def _probe(self, stage: Stage, said: Filter, arguments: Arguments, keywords: Keywords, share: float) -> Probe:
        found = stage.fields.get("output_documents")
        if not isinstance(found, Documents):
            raise ValueError("its documents cannot be read")
        asked, named = self._arguments.relaxed(said, arguments, keywords)
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
