"""What recording costs, beside the bare OpenTelemetry SDK that writes the same attributes.

usage: python tests/benchmarks/overhead.py [--json] [--rounds N] [--traces N]

One trace: an answer with six stages, 20 retrieved ids with scores, 5 reranked, 3 filter clauses, tokens, cost, a
300-character answer, a 384-float vector as bytes, and one feedback. Both sides take e-mail addresses, phone and card
numbers and secrets out of question and answer, Ragvigil in the background and out of every other text too. Both export
over HTTP to a receiver in a process of its own. Rounds alternate, so that a change of the machine's speed hits both.
`background` is what the process does beside the request thread; `distributions` is how many an install without extras
brings, itself included.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, LogRecordProcessor
from opentelemetry.sdk._logs.export import (
    BatchLogRecordProcessor,
    InMemoryLogRecordExporter,
    SimpleLogRecordProcessor,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks._receiver import receiver
from tests.benchmarks._sides import REDACTED, Texts, bare, ours, texts
from tests.samples.distributions import distributions

import ragvigil
from ragvigil.attributes import EVENT_FEEDBACK
from ragvigil.testing import InMemoryExporter

_numbers = count(1)


@dataclass(frozen=True)
class Cost:
    """CPU of one side, per trace."""

    request_thread_us: float
    process_us: float


class BareSdk:
    """The SDK, with its processor for spans and that for log records."""

    def __init__(self, spans: SpanProcessor, logs: LogRecordProcessor) -> None:
        self._tracers = TracerProvider(resource=Resource.create())
        self._loggers = LoggerProvider(resource=Resource.create())
        self._tracers.add_span_processor(spans)
        self._loggers.add_log_record_processor(logs)
        self._tracer = self._tracers.get_tracer("benchmark")
        self._logger = self._loggers.get_logger("benchmark")

    def trace(self, said: Texts) -> None:
        """Record one trace."""
        bare(said, self._tracer, self._logger)

    def flush(self) -> None:
        """Wait until everything is delivered."""
        self._tracers.force_flush()
        self._loggers.force_flush()

    def shutdown(self) -> None:
        """End its threads."""
        self._tracers.shutdown()
        self._loggers.shutdown()


def refuse_unequal_sides() -> None:
    """Stop when the two sides do not write the same attributes: the comparison would mean nothing."""
    kept = InMemoryExporter()
    ragvigil.configure(service_name="benchmark", exporter=kept)
    ours(texts(0))
    ragvigil.shutdown()
    spans, logs = InMemorySpanExporter(), InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
    BareSdk(SimpleSpanProcessor(spans), SimpleLogRecordProcessor(logs)).trace(texts(0))
    mine = {span.name: sorted(span.attributes) for span in kept.spans}
    mine |= {log.event_name: sorted(log.attributes) for log in kept.logs if log.event_name == EVENT_FEEDBACK}
    theirs = {span.name: sorted(span.attributes or {}) for span in spans.get_finished_spans()}
    records = [log.log_record for log in logs.get_finished_logs()]
    theirs |= {record.event_name or "": sorted(record.attributes or {}) for record in records}
    if mine != theirs:
        differing = {name for name in mine.keys() | theirs.keys() if mine.get(name) != theirs.get(name)}
        raise SystemExit(f"the sides do not write the same attributes in {sorted(differing)}: {mine} {theirs}")


def cost(trace: Callable[[Texts], None], flush: Callable[[], object], traces: int) -> Cost:
    """CPU of `traces` traces: of this thread while they are recorded, of the process until they are delivered."""
    asked = [texts(next(_numbers)) for _ in range(traces)]
    process, thread = time.process_time(), time.thread_time()
    for said in asked:
        trace(said)
    thread = time.thread_time() - thread
    flush()
    return Cost(thread / traces * 1e6, (time.process_time() - process) / traces * 1e6)


def measure(endpoint: str, rounds: int, traces: int) -> dict[str, float]:
    """Medians over alternating rounds, the first of which does not count."""
    ragvigil.configure(service_name="benchmark", endpoint=endpoint, redactors=[REDACTED])
    sdk = BareSdk(
        BatchSpanProcessor(OTLPSpanExporter(f"{endpoint}/v1/traces")),
        BatchLogRecordProcessor(OTLPLogExporter(f"{endpoint}/v1/logs")),
    )
    costs = [(cost(ours, ragvigil.flush, traces), cost(sdk.trace, sdk.flush, traces)) for _ in range(rounds + 1)][1:]
    lost = ragvigil.counts().dropped
    ragvigil.shutdown()
    sdk.shutdown()
    mine, theirs = _typical([pair[0] for pair in costs]), _typical([pair[1] for pair in costs])
    return {
        "request_thread_ratio": mine.request_thread_us / theirs.request_thread_us,
        "process_cpu_ratio": mine.process_us / theirs.process_us,
        "request_thread_us": mine.request_thread_us,
        "sdk_request_thread_us": theirs.request_thread_us,
        "background_us": mine.process_us - mine.request_thread_us,
        "sdk_background_us": theirs.process_us - theirs.request_thread_us,
        "process_us": mine.process_us,
        "sdk_process_us": theirs.process_us,
        "dropped_spans": lost,
    }


def _typical(costs: list[Cost]) -> Cost:
    return Cost(median([cost.request_thread_us for cost in costs]), median([cost.process_us for cost in costs]))


def import_cpu_ms(repeats: int = 7) -> float:
    """CPU of `import ragvigil` beyond an empty interpreter."""
    return max(0.0, _interpreter_ms("import ragvigil", repeats) - _interpreter_ms("pass", repeats))


def _interpreter_ms(statement: str, repeats: int) -> float:
    report = f"import time; {statement}; print(time.process_time())"
    runs = [subprocess.run([sys.executable, "-c", report], capture_output=True, check=True) for _ in range(repeats)]
    return 1000 * median([float(run.stdout) for run in runs])


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Cost of recording, beside the bare SDK.")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rounds", type=int, default=9, help="rounds that count")
    parser.add_argument("--traces", type=int, default=200, help="traces a round and side")
    wanted = parser.parse_args()
    refuse_unequal_sides()
    with receiver() as endpoint:
        found = measure(endpoint, wanted.rounds, wanted.traces)
    found["import_cpu_ms"] = import_cpu_ms()
    found["distributions"] = len(distributions("ragvigil"))
    print(json.dumps(found) if wanted.json else "\n".join(f"{key:24} {value:10.3f}" for key, value in found.items()))


if __name__ == "__main__":
    main()
