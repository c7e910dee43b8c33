"""Evidence in a real store, checked by the real library."""

from datetime import UTC, datetime, timedelta
from threading import Event

import numpy as np
import pyarrow as pa
import pytest
from tests.samples.alibi import PYTHON
from tests.samples.fresh_stores import fresh_store
from tests.samples.servers import running_service

from ragvigil_monitor.drift.alibi import AlibiDetect
from ragvigil_monitor.drift.comparing import compared_window
from ragvigil_monitor.drift.cross_check import cross_check_job, newest_cross_check
from ragvigil_monitor.drift.encoder import Encoder
from ragvigil_monitor.guardrails.cross_check_words import cross_check_sentence
from ragvigil_monitor.keys import Keys
from ragvigil_monitor.schedule import run_apart
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

END = datetime(2026, 6, 5, tzinfo=UTC)
ENCODER = Encoder("encoder-1", 24)


@pytest.fixture
def store() -> Store:
    """Four working days of 100 query vectors a day, as they arrive: some are copies, one cannot be used."""
    found, rng = fresh_store(), np.random.default_rng(1)
    vectors = rng.normal(size=(400, ENCODER.dimension))
    vectors[300:320] = vectors[300]
    units = (vectors / np.linalg.norm(vectors, axis=1)[:, None]).astype("<f2")
    units[350] = np.nan
    columns = {
        "trace_id": [number.to_bytes(16) for number in range(1, 401)],
        "span_id": [b"embed000"] * 400,
        "started_at": [(END - timedelta(hours=96 - 0.24 * number)).replace(tzinfo=None) for number in range(400)],
        "model": [ENCODER.model] * 400,
        "dimension": pa.array([ENCODER.dimension] * 400, pa.int32()),
        "norm": pa.array([1.0] * 400, pa.float32()),
        "unit_f16": [row.tobytes() for row in units],
    }
    with found.transaction() as writer:
        writer.execute_with("insert_query_vectors", pa.table(columns))
        for days_before in range(1, 6):
            writer.execute("draw_day_sample", day=END - timedelta(days=days_before), **ENCODER.columns)
    return found


def checked_once(service: Service) -> None:
    alibi = AlibiDetect(PYTHON, 300, license_acknowledged=False, stopping=Event())
    run_apart(service, cross_check_job(alibi), END)


def test_stored_evidence_is_confirmed_to_the_last_digits(store: Store) -> None:
    evidence = compared_window(store, ENCODER, END, weeks=4)
    with store.transaction() as writer:
        evidence.keep(writer)
    with running_service(store, Keys.generate(), lambda: END) as service:
        checked_once(service)
        assert service.store.rows("job_problems_now") == []
        found = newest_cross_check(store, END, END)
        sentence = cross_check_sentence(service, END, END)
    assert evidence.found is not None
    assert evidence.found.m == 99
    assert found is not None
    assert abs(found.difference) < 1e-10
    assert found.mmd2 == pytest.approx(evidence.found.mmd2, abs=1e-10)
    assert found.p == pytest.approx(evidence.found.p, abs=0.1)
    assert sentence is not None
    assert sentence.startswith("MMD² of the day up to ")
