"""Which column an attribute ends in."""

from datetime import timedelta
from typing import Any

import pytest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from tests.samples.otlp import NOW, RESOURCE, pairs, rag_trace, span_id, trace_id

from ragvigil import attributes as names
from ragvigil_monitor.receiver.times import microseconds

OWN = [
    (names.SPAN_KIND, "TOOL", "kind"),
    (names.STAGE, "rerank", "stage"),
    (names.PROBE_ID, "p-1", "probe_id"),
    (names.PROVIDER_NAME, "openai", "provider"),
    (names.REQUEST_MODEL, "gpt", "model"),
    (names.USAGE_INPUT_TOKENS, 900, "input_tokens"),
    (names.USAGE_OUTPUT_TOKENS, 120, "output_tokens"),
    (names.USAGE_CACHED_TOKENS, 0, "cached_tokens"),
    (names.STAGE_COST, 0.25, "cost_usd"),
    (names.CACHE_EMBEDDING_HIT, True, "embedding_cache_hit"),
    (names.CACHE_RETRIEVAL_HIT, False, "retrieval_cache_hit"),
    (names.CACHE_ANSWER_HIT, True, "answer_cache_hit"),
    (names.RETRIEVAL_QUERY_TEXT, "parse dates", "query_text"),
    (names.RETRIEVAL_TOP_K, 20, "top_k"),
    (names.SCORE_KIND, "rrf", "score_kind"),
    (names.FILTER_STATE, "partial", "filter_state"),
    (names.FILTER_AST, '{"op": "eq"}', "filter_ast"),
    (names.FILTER_CLAUSES, '[{"path": ""}]', "filter_clauses"),
]
OTHERS = [
    (names.EMBEDDING_MODEL_NAME, "mini", "model"),
    (names.RERANKER_MODEL_NAME, "cross", "model"),
    (names.LLM_MODEL_NAME, "large", "model"),
    (names.RESPONSE_MODEL, "large-2026", "model"),
    (names.LLM_TOKENS_PROMPT, 900, "input_tokens"),
    (names.LLM_TOKENS_COMPLETION, 120, "output_tokens"),
    (names.LLM_COST_TOTAL, 0.5, "cost_usd"),
    (names.RERANKER_QUERY, "parse dates", "query_text"),
    (names.RERANKER_TOP_K, 5, "top_k"),
    ("gen_ai.system", "openai", "provider"),
    ("gen_ai.usage.prompt_tokens", 900, "input_tokens"),
    ("gen_ai.usage.completion_tokens", 120, "output_tokens"),
    ("llm.provider", "openai", "provider"),
    ("llm.token_count.prompt_details.cache_read", 80, "cached_tokens"),
]


@pytest.mark.parametrize(("attribute", "value", "column"), OWN + OTHERS, ids=[case[0] for case in OWN + OTHERS])
def test_an_attribute_fills_its_column_and_is_not_stored_twice(
    columns_of: Any, attribute: str, value: object, column: str
) -> None:
    found = columns_of({attribute: value})
    assert found[column] == value
    assert attribute not in found["attributes"]


def test_an_unknown_attribute_of_any_type_is_kept(columns_of: Any) -> None:
    unknown = {"text": "ä", "int": -3, "double": 0.5, "bool": False, "list": ["a", 1], "map": {"deep": [{"x": True}]}}
    found = columns_of(unknown, parent=9)
    assert found["attributes"] == unknown


def test_bytes_without_a_column_are_kept_as_base64(columns_of: Any) -> None:
    assert columns_of({"raw": b"\x00\xff"}, parent=9)["attributes"] == {"raw": "AP8="}


def test_numbers_that_json_does_not_know_are_kept_by_name(columns_of: Any) -> None:
    found = columns_of({"a": float("nan"), "b": float("-inf")}, parent=9)
    assert found["attributes"] == {"a": "nan", "b": "-inf"}


def test_the_first_choice_wins_and_a_different_second_is_kept(columns_of: Any) -> None:
    found = columns_of(
        {names.RESPONSE_MODEL: "large-2026", names.REQUEST_MODEL: "large", names.LLM_MODEL_NAME: "large"}
    )
    assert found["model"] == "large"
    assert found["attributes"][names.RESPONSE_MODEL] == "large-2026"
    assert names.LLM_MODEL_NAME not in found["attributes"]


def test_seconds_to_the_first_token_become_milliseconds(columns_of: Any) -> None:
    assert columns_of({names.TIME_TO_FIRST_CHUNK: 0.35})["time_to_first_token_ms"] == 350.0


def test_an_absent_cost_is_unknown_and_never_free(columns_of: Any) -> None:
    found = columns_of()
    assert found["cost_usd"] is None
    assert found["input_tokens"] is None


def test_ids_times_and_names_come_from_the_span(columns_of: Any) -> None:
    found = columns_of(parent=7, name="ask", duration_ms=12.5, started_at=NOW - timedelta(minutes=3))
    assert (found["trace_id"], found["span_id"], found["parent_span_id"]) == (trace_id(1), span_id(1), span_id(7))
    assert found["started_at"] == microseconds(NOW - timedelta(minutes=3))
    assert (found["name"], found["duration_ms"]) == ("ask", 12.5)


def test_the_sender_comes_from_the_resource(columns_of: Any) -> None:
    found = columns_of()
    assert (found["service"], found["service_version"], found["instance_id"]) == ("shop", "1.4.2", "process-1")


def test_a_sender_without_a_name_is_called_what_opentelemetry_calls_it(batch_of: Any) -> None:
    batch = batch_of(*rag_trace(0), resource={})
    assert {row[6] for row in batch.spans} == {"unknown_service"}


def test_other_resource_attributes_are_kept_on_the_entry_of_a_trace_only(batch_of: Any, columns_of: Any) -> None:
    batch = batch_of(*rag_trace(0), resource={**RESOURCE, names.VCS_REVISION: "abc"})
    assert ["abc" in (row[-1] or "") for row in batch.spans] == [True, False, False, False, False, False]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (Status.STATUS_CODE_UNSET, "unset"),
        (Status.STATUS_CODE_OK, "ok"),
        (Status.STATUS_CODE_ERROR, "error"),
        (99, "unset"),
    ],
    ids=str,
)
def test_the_status_is_a_word(columns_of: Any, code: Any, expected: str) -> None:
    found = columns_of(status=Status(code=code, message="it broke"))
    assert (found["status"], found["status_message"]) == (expected, "it broke")


def test_events_and_links_are_kept(columns_of: Any) -> None:
    event = Span.Event(name="exception", time_unix_nano=5, attributes=pairs({"exception.type": "KeyError"}))
    link = Span.Link(trace_id=trace_id(3), span_id=span_id(4), attributes=pairs({"why": "retry"}))
    found = columns_of(parent=9, events=[event], links=[link])["attributes"]
    assert found["otel.events"] == [{"name": "exception", "time_unix_nano": 5, "exception.type": "KeyError"}]
    assert found["otel.links"] == [{"trace_id": trace_id(3).hex(), "span_id": span_id(4).hex(), "why": "retry"}]


def test_dropped_attributes_are_counted_on_the_span(columns_of: Any) -> None:
    assert columns_of(dropped_attributes_count=7)["dropped_attributes"] == 7
    assert columns_of(dropped_attributes_count=2**32 - 1)["dropped_attributes"] == 2**31 - 1


@pytest.mark.parametrize(
    ("operation", "kind"), [("embeddings", "EMBEDDING"), ("retrieval", "RETRIEVER"), ("chat", "LLM"), ("new", None)]
)
def test_the_kind_follows_from_a_genai_operation(columns_of: Any, operation: str, kind: str | None) -> None:
    assert columns_of({names.OPERATION_NAME: operation})["kind"] == kind


def test_a_kind_that_was_sent_wins_over_the_operation(columns_of: Any) -> None:
    assert columns_of({names.OPERATION_NAME: "chat", names.SPAN_KIND: "AGENT"})["kind"] == "AGENT"


@pytest.mark.parametrize(
    "attributes",
    [{names.SPAN_KIND: "RETRIEVER"}, {names.OPERATION_NAME: "retrieval"}],
    ids=["openinference", "genai"],
)
def test_a_foreign_retriever_has_an_unknown_filter_never_none(columns_of: Any, attributes: dict[str, object]) -> None:
    assert columns_of(attributes)["filter_state"] == "unknown"


def test_a_stage_that_retrieves_nothing_has_no_filter_state(columns_of: Any) -> None:
    assert columns_of({names.SPAN_KIND: "LLM"})["filter_state"] is None


def test_a_foreign_retriever_searched_for_its_input(columns_of: Any) -> None:
    found = columns_of({names.SPAN_KIND: "RETRIEVER", names.INPUT_VALUE: "parse dates"})
    assert found["query_text"] == "parse dates"
