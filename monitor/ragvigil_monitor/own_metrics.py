"""What the service measures of itself while it runs, for Prometheus; nothing of it is stored."""

from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Histogram, Summary


@dataclass(frozen=True, slots=True)
class OwnMetrics:
    """Instruments of one process, in a registry of their own."""

    registry: CollectorRegistry = field(default_factory=lambda: CollectorRegistry(auto_describe=True))
    commit_s: Histogram = field(init=False)
    job_s: Summary = field(init=False)
    job_failures: Counter = field(init=False)

    def __post_init__(self) -> None:
        made = {
            "commit_s": Histogram(
                "ragvigil_commit_duration_seconds",
                "How long one group of requests took to be stored.",
                buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10),
                registry=self.registry,
            ),
            "job_s": Summary(
                "ragvigil_job_duration_seconds", "How long a run of a job took.", ["job"], registry=self.registry
            ),
            "job_failures": Counter(
                "ragvigil_job_failures", "Runs of a job that failed.", ["job"], registry=self.registry
            ),
        }
        for name, instrument in made.items():
            object.__setattr__(self, name, instrument)
