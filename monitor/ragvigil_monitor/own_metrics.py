"""What the service measures of itself while it runs, for Prometheus; nothing of it is stored."""

from prometheus_client import CollectorRegistry, Counter, Histogram, Summary

_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class OwnMetrics:
    """Instruments of one process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry(auto_describe=True)
        self.commit_s = Histogram(
            "ragvigil_commit_duration_seconds",
            "How long one group of requests took to be stored.",
            buckets=_BUCKETS_S,
            registry=self.registry,
        )
        self.job_s = Summary(
            "ragvigil_job_duration_seconds", "How long a run of a job took.", ["job"], registry=self.registry
        )
        self.job_failures = Counter(
            "ragvigil_job_failures", "Runs of a job that failed.", ["job"], registry=self.registry
        )
