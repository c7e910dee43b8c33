"""How well applications are instrumented, and whether a trace arrived."""

import json
from typing import Any

import pytest
from tests.samples.world import World

from ragvigil import attributes as names
from ragvigil_monitor.conventions.provenance import DOCUMENTS_WITHOUT_ID

TRACE = bytes(range(16))
_AST = {
    "op": "and",
    "args": [
        {"op": "eq", "field": "tenant", "value_hmac": "ab"},
        {"op": "eq", "field": "lang", "value": "de"},
        {"op": "or", "args": [{"op": "eq", "field": "kind", "value": "faq"}, {"op": "exists", "field": "team"}]},
    ],
}


def search(**values: Any) -> dict[str, Any]:
    return {"stage": "retrieve", "filter_state": "known", "output_documents": "[]", **values}


def test_a_trace_that_arrived_is_counted_whatever_it_is(empty: World) -> None:
    empty.put(spans=[{"trace_id": TRACE}, {"trace_id": TRACE, "span_id": bytes(8), "probe_id": "p"}, {}])
    found = empty.get(f"/arrivals/{TRACE.hex().upper()}")
    assert (found["trace_id"], found["spans"]) == (TRACE.hex(), 2)
    assert found["first_started_at"] is not None


def test_one_that_did_not_arrive_or_long_ago_has_no_spans(empty: World) -> None:
    empty.put(spans=[{"trace_id": TRACE, "started_at": empty.ago(hours=25)}])
    assert empty.get(f"/arrivals/{TRACE.hex()}") == {
        "trace_id": TRACE.hex(),
        "spans": 0,
        "first_started_at": None,
    }


@pytest.mark.parametrize("trace_id", ["x", "0" * 31, "0" * 33, "g" * 32, "%00"])
def test_what_is_no_trace_id_is_refused(empty: World, trace_id: str) -> None:
    assert empty.refusal(f"/arrivals/{trace_id}")[0] == 422


def test_filters_are_counted_by_what_is_known_of_them(empty: World) -> None:
    states = ["known", "known", "none", "partial", "unknown", None]
    empty.put(spans=[search(filter_state=state) for state in states])
    (found,) = empty.get("/instrumentation")
    assert (found["service"], found["retrievals"]) == ("shop", 6)
    counted = [found[f"filters_{state}"] for state in ("known", "none", "partial", "unknown")]
    assert counted == [2, 1, 1, 2]


def test_fields_without_a_role_are_named_by_how_often_they_occur(empty: World) -> None:
    declared = [{"path": "/args/0", "role": "entitlement"}, {"path": "/args/2/args/1", "role": "relevance"}]
    empty.put(
        spans=[
            search(filter_ast=json.dumps(_AST), filter_clauses=json.dumps(declared)),
            search(filter_ast=json.dumps(_AST["args"][1]), filter_clauses=None),
            search(filter_ast='{"op": "guess"}', filter_clauses=None),
            search(filter_ast=json.dumps(_AST), filter_clauses=None, probe_id="p"),
        ]
    )
    (found,) = empty.get("/instrumentation")
    assert found["undeclared_fields"] == [{"field": "lang", "searches": 2}, {"field": "kind", "searches": 1}]
    assert found["filters_read"] == 2


def test_one_label_on_the_root_declares_everything(empty: World) -> None:
    clauses = json.dumps([{"path": "", "role": "relevance"}])
    empty.put(spans=[search(filter_ast=json.dumps(_AST), filter_clauses=clauses)])
    assert empty.get("/instrumentation")[0]["undeclared_fields"] == []


def test_what_answers_and_spans_lack_is_counted(empty: World) -> None:
    empty.put(
        answers=[{"question": "why", "answer": "so"}, {"question": "why"}, {"started_at": empty.ago(hours=30)}],
        spans=[search(output_documents=None), {"dropped_attributes": 3}, {"service": "other"}],
    )
    shop, other = empty.get("/instrumentation")
    assert (shop["answers"], shop["answers_without_question"], shop["answers_without_text"]) == (2, 0, 1)
    assert (shop["retrievals_without_documents"], shop["spans_with_dropped_attributes"]) == (1, 1)
    assert (other["service"], other["answers"], other["spans"]) == ("other", 0, 1)
    assert [row["answers"] for row in empty.get("/instrumentation", hours=48)] == [3, 0]


def test_searches_whose_documents_merely_lack_ids_are_not_without_documents(empty: World) -> None:
    nameless = {"output_documents": None, "attributes": json.dumps({DOCUMENTS_WITHOUT_ID: 2})}
    some = {"attributes": json.dumps({DOCUMENTS_WITHOUT_ID: 3})}
    spans = [search(**nameless), search(**nameless), search(**nameless, probe_id="p"), search(output_documents=None)]
    empty.put(spans=[*spans, search(**some), search(**nameless, service="other")])
    shop, other = sorted(empty.get("/instrumentation"), key=lambda row: row["retrievals"], reverse=True)
    assert (shop["retrievals_without_documents"], shop["retrievals_without_ids"]) == (1, 2)
    assert shop["documents_without_id"] == 7
    assert (other["retrievals_without_documents"], other["retrievals_without_ids"]) == (0, 1)


@pytest.mark.parametrize("said", ["many", -1, 0, [3], None])
def test_a_number_of_documents_that_is_none_is_no_documents(empty: World, said: object) -> None:
    numbered = search(output_documents=None, attributes=json.dumps({DOCUMENTS_WITHOUT_ID: 2}))
    strange = search(output_documents=None, attributes=json.dumps({DOCUMENTS_WITHOUT_ID: said}))
    empty.put(spans=[numbered, strange])
    (found,) = empty.get("/instrumentation")
    assert (found["retrievals_without_documents"], found["retrievals_without_ids"]) == (1, 1)


def test_one_service_may_be_asked_for(empty: World) -> None:
    empty.put(spans=[{}, {"service": "other"}])
    assert [row["service"] for row in empty.get("/instrumentation", service="other")] == ["other"]
    assert empty.get("/instrumentation", service="nobody") == []
    assert empty.refusal("/instrumentation", hours=0)[0] == empty.refusal("/instrumentation", hours=10**6)[0] == 422


def test_the_test_trace_of_the_doctor_is_no_process(empty: World) -> None:
    empty.put(spans=[{"service": names.DOCTOR_SERVICE, "probe_id": "doctor-1", "instance_id": None}])
    assert empty.get("/completeness") == empty.get("/instrumentation") == []
