"""What the service measures of itself while it runs, for Prometheus; nothing of it is stored."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Summary

_LAG_BUCKETS_S = (1, 5, 15, 60, 300, 900, 3600, 21_600, 86_400, 604_800)
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
        self.lag_s = Histogram(
            "ragvigil_arrival_lag_seconds",
            "How long after the newest span of a request began the request was read.",
            buckets=_LAG_BUCKETS_S,
            registry=self.registry,
        )
        self.overloaded = Counter(
            "ragvigil_requests_overloaded", "Requests that were asked to come again later.", registry=self.registry
        )
        self.requests_inside = Gauge(
            "ragvigil_requests_inside", "Requests that are read or wait to be stored.", registry=self.registry
        )
        self.bytes_inside = Gauge(
            "ragvigil_request_bytes_inside", "Their bodies, as sent and decompressed.", registry=self.registry
        )
        self.job_s = Summary(
            "ragvigil_job_duration_seconds", "How long a run of a job took.", ["job"], registry=self.registry
        )
        self.job_failures = Counter(
            "ragvigil_job_failures", "Runs of a job that failed.", ["job"], registry=self.registry
        )
