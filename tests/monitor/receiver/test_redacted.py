"""What an application does not send in full is not recorded for the monitor, and never taken for a text."""

from typing import Any

import orjson
import pytest
from tests.samples.keeping import KeepingExporter
from tests.samples.otlp import NOW

import ragvigil
from ragvigil import attributes as names
from ragvigil_monitor import telemetry_tables as tables
from ragvigil_monitor.receiver.batch import Batch
from ragvigil_monitor.receiver.decoding import decode_traces
from ragvigil_monitor.receiver.times import microseconds


def received(**options: Any) -> Batch:
    exporter = KeepingExporter()
    ragvigil.configure(exporter=exporter, document_texts=True, secret_key=b"k" * 16, **options)
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="why?", answer="because", user_id="u-5", session_id="s-1", intent="how_to")
        with ragvigil.stage("retrieve") as stage:
            stage.set(query="why?", top_k=2)
            stage.outputs(["a", "b"], [0.5, 0.25], ["text of a", "text of b"])
    assert ragvigil.flush()
    payload = exporter.payloads[0]
    ragvigil.shutdown()
    return decode_traces(payload, microseconds(NOW))


@pytest.mark.parametrize("mode", ["hashed", "none"])
def test_texts_are_not_recorded_and_everything_else_is(mode: str) -> None:
    batch = received(content=mode)
    (answer,) = [dict(zip(tables.ANSWERS.names, row, strict=True)) for row in batch.answers]
    assert (answer["question"], answer["answer"]) == (None, None)
    assert (answer["session_id"], answer["intent"]) == ("s-1", "how_to")
    stages = [dict(zip(tables.SPANS.names, row, strict=True)) for row in batch.spans]
    (retrieve,) = [stage for stage in stages if stage["stage"] == "retrieve"]
    assert retrieve["query_text"] is None
    assert retrieve["top_k"] == 2
    rest = orjson.loads(retrieve["attributes"] or "{}")
    assert not [key for key in rest if key.endswith(names.DOCUMENT_CONTENT)]
    hashes = {key.removeprefix(names.CONTENT_HMAC_PREFIX) for key in rest if key.startswith(names.CONTENT_HMAC_PREFIX)}
    assert hashes == ({"query", "output_documents.texts"} if mode == "hashed" else set())


def test_a_hashed_user_is_a_user() -> None:
    (first,) = received().answers
    (second,) = received().answers
    at = tables.ANSWERS.names.index("user_id")
    assert first[at] == second[at]
    assert first[at] not in {None, "u-5"}
