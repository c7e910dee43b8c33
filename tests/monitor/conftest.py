"""A store in memory, synthetic traffic in it, and a service around it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray
from tests.samples.fresh_stores import fresh_store

from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.service import Service
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.store import Store

MONDAY = datetime(2026, 6, 1, tzinfo=UTC)
Column = NDArray[Any]
AddAnswers = Callable[..., None]
AddVectors = Callable[..., None]
AddQueries = Callable[..., None]
RunDrift = Callable[..., dict[str, int]]
DRIFT_JOBS = ("drift_hours", "drift_days", "drift_references", "query_drift")
MakeService = Callable[..., Service]


@pytest.fixture
def monday() -> datetime:
    """The midnight at which synthetic traffic begins."""
    return MONDAY


@pytest.fixture
def memory_store() -> Iterator[Store]:
    store = fresh_store()
    yield store
    store.close()


@pytest.fixture
def add_answers(memory_store: Store) -> AddAnswers:
    """Adds answers `after_h` hours after Monday, with one span a stage.

    after_h: one number an answer. duration_ms and the values of `stages` (name to ms): arrays of that length, or one
    number. cost_usd: cost of the stage `generate`, NaN where it is unknown. Everything else: one value for all.
    """
    given = 0

    def add(
        after_h: Column,
        duration_ms: Column | float = 100.0,
        *,
        stages: Mapping[str, Column | float] = {},
        cost_usd: Column | float | None = None,
        intent: str | None = "ask",
        version: str = "1.0",
        slices: str | None = None,
        probe_id: str | None = None,
        linked: bool = True,
    ) -> None:
        nonlocal given
        numbers = np.arange(given, given + len(after_h))
        given += len(after_h)
        shared = {
            "trace_id": [int(number).to_bytes(16) for number in numbers],
            "started_at": _moments(after_h),
            "service": ["shop"] * len(after_h),
            "service_version": [version] * len(after_h),
            "status": ["ok"] * len(after_h),
        }
        answer_span = [b"answer00"] * len(after_h)
        answers = {
            **shared,
            "span_id": answer_span,
            "answer_id": [str(number) for number in numbers],
            "duration_ms": pa.array(_column(duration_ms, after_h), from_pandas=True),
            "intent": [intent] * len(after_h),
            "slices": [slices] * len(after_h),
            "sampling_probability": [1.0] * len(after_h),
        }
        with memory_store.transaction() as writer:
            writer.execute_with("insert_answers", pa.table(answers))
            for place, (stage, ms) in enumerate(stages.items()):
                cost = cost_usd if stage == "generate" else None
                spans = {
                    **shared,
                    "span_id": [f"stage{place:03}".encode()] * len(after_h),
                    "parent_span_id": answer_span,
                    "answer_span_id": pa.array(answer_span if linked else [None] * len(after_h), pa.binary()),
                    "name": [stage] * len(after_h),
                    "stage": [stage] * len(after_h),
                    "probe_id": pa.array([probe_id] * len(after_h), pa.string()),
                    "duration_ms": pa.array(_column(ms, after_h), from_pandas=True),
                    "cost_usd": pa.array(_column(np.nan if cost is None else cost, after_h), from_pandas=True),
                    "dropped_attributes": pa.array([0] * len(after_h), pa.int32()),
                }
                writer.execute_with("insert_spans", pa.table(spans))

    return add


@pytest.fixture
def add_vectors(memory_store: Store) -> AddVectors:
    """Adds query vectors `after_h` hours after Monday, stored as the receiver does.

    intents: of their answers; None: there are no answers. units: bytes to store instead.
    """
    given = 0

    def add(
        after_h: Column,
        vectors: Column,
        *,
        model: str | None = "encoder-1",
        intents: Sequence[str | None] | None = None,
        units: Sequence[bytes] | None = None,
    ) -> None:
        nonlocal given
        norms = np.linalg.norm(vectors, axis=1)
        trace_ids = [(1 << 64 | given + place).to_bytes(16) for place in range(len(after_h))]
        given += len(after_h)
        columns = {
            "trace_id": trace_ids,
            "span_id": [b"embed000"] * len(after_h),
            "answer_span_id": [b"answer00"] * len(after_h),
            "started_at": _moments(after_h),
            "model": pa.array([model] * len(after_h), pa.string()),
            "dimension": pa.array([vectors.shape[1]] * len(after_h), pa.int32()),
            "norm": pa.array(norms, pa.float32()),
            "unit_f16": units or [row.tobytes() for row in (vectors / norms[:, None]).astype("<f2")],
        }
        with memory_store.transaction() as writer:
            writer.execute_with("insert_query_vectors", pa.table(columns))
            if intents is not None:
                writer.execute_with("insert_answers", pa.table(_bare_answers(trace_ids, after_h, intents)))

    return add


@pytest.fixture
def add_queries(add_vectors: AddVectors) -> AddQueries:
    """Adds `per_hour` queries an hour from `start_h` to `end_h`: intents `a` to `f`, of which `a` fills working hours.

    From `new_from_h` on, a share `new` of them has the intent `new`, whose vectors lie elsewhere.
    """
    topics = np.random.default_rng(99).normal(size=(7, 12))

    def add(
        start_h: int, end_h: int, *, per_hour: int = 20, new_from_h: float = np.inf, new: float = 0.2, seed: int = 0
    ) -> None:
        rng = np.random.default_rng(seed)
        hours = np.repeat(np.arange(start_h, end_h), per_hour)
        after_h = np.sort(hours + rng.random(len(hours)))
        topic = rng.integers(0, 6, len(after_h))
        by_day = (after_h % 24 >= 8) & (after_h % 24 < 18)
        topic[by_day & (rng.random(len(after_h)) < 0.4)] = 0
        topic[(after_h >= new_from_h) & (rng.random(len(after_h)) < new)] = 6
        vectors = topics[topic] + rng.normal(0, 0.8, (len(after_h), 12))
        add_vectors(after_h, vectors, intents=np.array([*"abcdef", "new"], dtype=object)[topic].tolist())

    return add


@pytest.fixture
def run_drift() -> RunDrift:
    """Runs the jobs of query drift (or those named) that are due so many hours after Monday."""

    def run(service: Service, after_h: float, only: Sequence[str] = DRIFT_JOBS) -> dict[str, int]:
        listed = [job for job in jobs(service.settings) if job.name in only]
        return run_due(service, MONDAY + timedelta(hours=after_h), listed=lambda _settings: listed)

    return run


@pytest.fixture
def make_service(memory_store: Store) -> Iterator[MakeService]:
    """Makes a service whose clock stands, with settings as given."""
    committers = []

    def make(now: datetime = MONDAY, *, store: Store = memory_store, **settings: Any) -> Service:
        committer = Committer(store, clock=lambda: now)
        committers.append(committer)
        return Service(store, Settings.load(**settings), Keys.generate(), committer, lambda: now)

    yield make
    for committer in committers:
        committer.close()


def _bare_answers(trace_ids: list[bytes], after_h: Column, intents: Sequence[str | None]) -> dict[str, Any]:
    return {
        "trace_id": trace_ids,
        "span_id": [b"answer00"] * len(after_h),
        "answer_id": [trace_id.hex() for trace_id in trace_ids],
        "started_at": _moments(after_h),
        "duration_ms": _column(100.0, after_h),
        "service": ["shop"] * len(after_h),
        "status": ["ok"] * len(after_h),
        "intent": pa.array(intents, pa.string()),
        "sampling_probability": [1.0] * len(after_h),
    }


def _moments(after_h: Column) -> pa.Array:
    moments = [MONDAY + timedelta(hours=float(hours)) for hours in after_h]
    return pa.array([moment.replace(tzinfo=None) for moment in moments], pa.timestamp("us"))


def _column(values: Column | float, like: Column) -> Column:
    return np.broadcast_to(np.asarray(values, dtype=np.float64), len(like)).copy()
