"""An answer whose every text tries to break out of the page that shows it."""

import json
from datetime import datetime, timedelta
from typing import Any

from tests.samples.traffic import Traffic

from ragvigil_monitor.store import Store

TRACE_ID = "e" * 32
SCRIPT = "<script>window.broken = 'script'</script>"
IMAGE = "<img src=x onerror=\"window.broken = 'image'\">"
LINK = "[click me](javascript:window.broken='link') **bold** # heading :red[markdown]"
RIGHT_TO_LEFT = "\u202egnp.exe\u202c שלום 👩‍👩‍👧‍👦"
BREAKOUT = "</bdi></td></table></div><h1 id='breakout'>mine</h1>"
EVERYTHING = f"{SCRIPT}{IMAGE}{LINK}{RIGHT_TO_LEFT}{BREAKOUT}"
LONG = EVERYTHING + "x" * 100_000


def insert_hostile_answer(store: Store, now: datetime) -> None:
    """The newest answer, with a stage of the same kind."""
    sent = Traffic(slow_from=now)
    shared: dict[str, Any] = {
        "trace_id": bytes.fromhex(TRACE_ID),
        "started_at": (now - timedelta(seconds=1)).replace(tzinfo=None),
        "duration_ms": 900.0,
        "service": EVERYTHING,
        "service_version": EVERYTHING,
        "dropped_attributes": 0,
        "answer_span_id": b"hostile1",
    }
    sent.answers.append(
        {
            **shared,
            "span_id": b"hostile1",
            "answer_id": EVERYTHING,
            "status": "error",
            "session_id": EVERYTHING,
            "intent": EVERYTHING,
            "slices": json.dumps({EVERYTHING: EVERYTHING}),
            "question": EVERYTHING,
            "answer": LONG,
            "citations": json.dumps([{"doc_id": EVERYTHING}]),
            "sampling_probability": 1.0,
        }
    )
    sent.spans.append(
        {
            **shared,
            "span_id": b"hostile2",
            "parent_span_id": b"hostile1",
            "name": EVERYTHING,
            "kind": EVERYTHING,
            "stage": EVERYTHING,
            "status": "error",
            "status_message": EVERYTHING,
            "model": EVERYTHING,
            "query_text": EVERYTHING,
            "filter_state": "known",
            "filter_ast": json.dumps({"op": "eq", "field": EVERYTHING, "value": EVERYTHING}),
            "filter_clauses": json.dumps([]),
            "output_documents": json.dumps([{"id": EVERYTHING, "score": None}]),
            "attributes": json.dumps({EVERYTHING: EVERYTHING}),
        }
    )
    sent.insert(store)
