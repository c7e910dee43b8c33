"""Query vectors of applications that OpenInference instruments."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import numpy as np
import orjson
import pytest
from tests.monitor.foreign.conftest import Seen
from tests.samples.foreign.recordings import recorded
from tests.samples.otlp import NOW, span, span_id

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import QUERY_VECTOR
from ragvigil_monitor.schedule import run_due
from ragvigil_monitor.store import Store

VECTOR, TEXT = "embedding.embeddings.0.embedding.vector", "embedding.embeddings.0.embedding.text"


def chain(number: int, question: str = "why?", **given: Any) -> Any:
    return span(number, {names.SPAN_KIND: "CHAIN", names.INPUT_VALUE: question}, **given)


def model(number: int, **given: Any) -> Any:
    return span(number, {names.SPAN_KIND: "LLM"}, **given)


def embedding(number: int, vector: Any, text: str | None = None, **given: Any) -> Any:
    told = {names.SPAN_KIND: "EMBEDDING", names.EMBEDDING_MODEL_NAME: "small", VECTOR: vector}
    return span(number, told if text is None else {**told, TEXT: text}, **given)


def vectors(seen: Seen) -> list[dict[str, Any]]:
    return seen._all("SELECT * FROM query_vectors ORDER BY started_at")


def kept(seen: Seen) -> list[Any]:
    found = (orjson.loads(row["attributes"] or "{}").get(QUERY_VECTOR) for row in seen.spans())
    return [each for each in found if each is not None]


def test_the_text_that_an_answer_embeds_is_its_query(settled: Callable[..., Seen]) -> None:
    seen = settled(chain(1), embedding(2, [3.0, 4.0], "why?", parent=1), model(3, parent=1))
    (row,) = vectors(seen)
    assert (row["span_id"], row["answer_span_id"], row["model"]) == (span_id(2), span_id(1), "small")
    assert (row["dimension"], row["norm"]) == (2, 5.0)
    np.testing.assert_allclose(np.frombuffer(row["unit_f16"], np.float16).astype(float), [0.6, 0.8], atol=1e-3)
    assert kept(seen) == [{"dimension": 2}]


def test_it_is_taken_once(settled: Callable[..., Seen], store_spans: Any, settle: Callable[..., Seen]) -> None:
    settled(chain(1), embedding(2, [3.0, 4.0], "why?", parent=1), model(3, parent=1))
    store_spans(embedding(4, [1.0, 4.0], "why?", parent=1), model(5, parent=1))
    assert [row["span_id"] for row in vectors(settle(after_s=100))] == [span_id(2)]


def test_of_several_texts_it_is_the_one_that_was_asked(settled: Callable[..., Seen]) -> None:
    embedded = [embedding(number, [1.0, number], f"text {number}", parent=1) for number in (2, 3, 4)]
    seen = settled(chain(1, "text 3"), *embedded, model(5, parent=1))
    assert [row["span_id"] for row in vectors(seen)] == [span_id(3)]
    assert kept(seen) == [{"dimension": 2}] * 3


@pytest.mark.parametrize("texts", [["document", "other"], [None, None], ["document"]])
def test_what_may_be_a_document_is_none(settled: Callable[..., Seen], texts: list[str | None]) -> None:
    embedded = [embedding(number, [1.0, number], text, parent=1) for number, text in enumerate(texts, start=2)]
    assert vectors(settled(chain(1), *embedded, model(9, parent=1))) == []


def test_indexing_tells_of_no_query(settled: Callable[..., Seen]) -> None:
    documents = [embedding(number, [1.0, number], f"text {number}", parent=1) for number in range(2, 6)]
    assert vectors(settled(chain(1), *documents)) == []


def test_it_follows_to_the_answer_that_takes_the_place(store_spans: Any, settle: Callable[..., Seen]) -> None:
    store_spans(chain(2, parent=1), embedding(3, [1.0, 2.0], "why?", parent=2), model(4, parent=2))
    assert vectors(settle(after_s=200))[0]["answer_span_id"] == span_id(2)
    store_spans(chain(1))
    assert [row["answer_span_id"] for row in vectors(settle(after_s=220))] == [span_id(1)]


@pytest.mark.parametrize(
    "odd", [None, 1, "x", {}, {"norm": "1", "unit_f16": 5}, {"norm": 1, "unit_f16": "!"}], ids=repr
)
def test_what_somebody_else_put_there_is_none(settled: Callable[..., Seen], odd: Any) -> None:
    told = {names.SPAN_KIND: "EMBEDDING", names.STAGE: "embed", QUERY_VECTOR: odd, names.PROBE_ID: ""}
    seen = settled(chain(1), span(2, told, parent=1), model(3, parent=1))
    assert vectors(seen) == []
    assert len(seen.answers()) == 1


def test_the_recorded_llamaindex_application_has_vectors(post: Callable[..., Seen]) -> None:
    seen = post(recorded("openinference_llamaindex"))
    answers = {(row["trace_id"], row["span_id"]) for row in seen.answers()}
    found = vectors(seen)
    assert found
    assert {(row["trace_id"], row["answer_span_id"]) for row in found} <= answers
    assert not [row for row in seen.spans() if VECTOR in (row["attributes"] or "")]


def test_drift_sees_them(store_spans: Any, make_service: Any, memory_store: Store) -> None:
    for trace in range(1, 6):
        numbers = [1.0, float(trace)]
        store_spans(
            chain(1, trace=trace), embedding(2, numbers, "why?", trace=trace, parent=1), model(3, trace=trace, parent=1)
        )
    now = NOW + timedelta(hours=3)
    run_due(make_service(now), now)
    (row,) = Seen(memory_store)._all("SELECT n, dimension, model FROM drift_hours")
    assert row == {"n": 5, "dimension": 2, "model": "small"}
