"""OpenLLMetry, which Traceloop makes: GenAI names, `traceloop.*` around them, and spans of vector databases.

Read from opentelemetry-instrumentation-{openai,langchain,llamaindex,chromadb,qdrant} 0.49.5 and 0.62.4 and
opentelemetry-semantic-conventions-ai 0.5.1.
"""

import ast
from collections.abc import Mapping, Sequence
from typing import Final

import orjson

from ragvigil import attributes as names
from ragvigil_monitor.conventions.convention import Attributes, Convention, Event, Found
from ragvigil_monitor.conventions.genai import LEAVES
from ragvigil_monitor.conventions.texts import (
    answer_in,
    last_model_message,
    last_user_message,
    parsed,
    question_in,
)

_WHERE: Final = "db.chroma.query.where"
_WHERE_DOCUMENT: Final = "db.chroma.query.where_document"
_QUERIES: Final = ("db.chroma.query.embeddings_count", "db.chroma.query.texts_count")
_OUTPUT: Final = "traceloop.entity.output"
_ASSOCIATED: Final = "traceloop.association.properties"
_MAX_FILTER_CHARS: Final = 10_000

_SEARCHES: Final = frozenset(
    f"{database}.{operation}"
    for database, operations in {
        "chroma": ("query",),
        "qdrant": (
            "search",
            "search_groups",
            "query",
            "query_points",
            "query_points_groups",
            "discover",
            "recommend",
            "recommend_groups",
        ),
        "pinecone": ("query",),
        "milvus": ("search", "hybrid_search", "query"),
    }.items()
    for operation in operations
)
"""Names of spans in which one search runs; those of batches hold several and are none."""
_ENTITIES: Final = {"Retriever": "RETRIEVER", "Rerank": "RERANKER", "Reranker": "RERANKER"}
"""How the classes are called, of LlamaIndex for example, that say nothing else about what they do."""
_RESULTS: Final = {
    "db.query.result": ("db.query.result.id", "db.query.result.score", "db.query.result.distance"),
    "db.search.result": ("db.search.result.id", "db.search.result.score", "db.search.result.distance"),
}
"""Event of one result: where its id, its score and its distance stand."""


def _kind_of(name: str, attributes: Attributes) -> str | None:
    if "db.system" in attributes:
        return "RETRIEVER" if name in _SEARCHES else None
    entity = attributes.get("traceloop.entity.name")
    if not isinstance(entity, str):
        return None
    bare = entity.removesuffix(".task").removesuffix(".workflow")
    return next((kind for ending, kind in _ENTITIES.items() if bare.endswith(ending)), None) or _ANY_ENTITY.get(
        str(attributes.get("traceloop.span.kind"))
    )


_ANY_ENTITY: Final = {"workflow": "CHAIN", "task": "CHAIN", "agent": "AGENT", "tool": "TOOL"}


def _documents(attributes: Attributes, events: Sequence[Event]) -> Found | None:
    return _in_events(attributes, events) or _in_output(attributes)


def _in_events(attributes: Attributes, events: Sequence[Event]) -> Found | None:
    """One event a result; None where several searches ran in one call."""
    if any(attributes.get(name) not in (None, 1) for name in _QUERIES):
        return None
    results = [(event, _RESULTS[str(event["name"])]) for event in events if event["name"] in _RESULTS]
    if not results:
        return None
    scores = [_number(event.get(score)) for event, (_, score, _) in results]
    distances = [_number(event.get(distance)) for event, (_, _, distance) in results]
    is_distance = all(score is None for score in scores) and any(each is not None for each in distances)
    ids = [_text(event.get(id_)) for event, (id_, _, _) in results]
    return Found(ids, distances if is_distance else scores, "distance" if is_distance else None)


def _in_output(attributes: Attributes) -> Found | None:
    """Nodes of LlamaIndex, each JSON in the JSON of the list; documents of LangChain, which have no ids here."""
    output = parsed(attributes.get(_OUTPUT))
    listed = output.get("documents") if isinstance(output, dict) else output
    if not isinstance(listed, list) or not listed:
        return None
    nodes = [parsed(each) if isinstance(each, str) else each for each in listed]
    if not all(isinstance(each, dict) for each in nodes):
        return None
    ids = [_text(_node(each).get("id_")) for each in nodes if isinstance(each, dict)]
    return Found(ids, [_number(each.get("score")) for each in nodes if isinstance(each, dict)])


def _node(found: Mapping[str, object]) -> Mapping[str, object]:
    node = found.get("node")
    return node if isinstance(node, dict) else {}


def _filters(attributes: Attributes) -> tuple[str, object] | None:
    """Chroma's `where`, written as Python writes a dictionary; as it is if it is none; None where there is more."""
    where = attributes.get(_WHERE)
    if not isinstance(where, str) or len(where) > _MAX_FILTER_CHARS or attributes.get(_WHERE_DOCUMENT) is not None:
        return None
    try:
        return "chroma", ast.literal_eval(where)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return "chroma", where


def _late_question(attributes: Attributes) -> str | None:
    """What a streamed chain of LangChain was given: known at its end, and told beside what it returned."""
    output = parsed(attributes.get(_OUTPUT))
    beside = output.get("kwargs") if isinstance(output, dict) else None
    if not isinstance(beside, dict) or "inputs" not in beside:
        return None
    return question_in("inputs")({"inputs": orjson.dumps(beside["inputs"]).decode()})


def _number(value: object) -> float | None:
    try:
        return float(value) if isinstance(value, str | int | float) else None
    except ValueError:
        return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


OPENLLMETRY: Final = Convention(
    columns={
        "gen_ai.usage.cache_read_input_tokens": "cached_tokens",
        "db.vector.query.top_k": "top_k",
        "db.chroma.query.n_results": "top_k",
        "pinecone.query.top_k": "top_k",
        "db.milvus.search.limit": "top_k",
    },
    kinds=(
        (names.OPERATION_NAME, {**LEAVES, "vector_db_retrieve": "RETRIEVER", "llm_request": "LLM"}),
        ("llm.request.type", {"chat": "LLM", "completion": "LLM", "embedding": "EMBEDDING", "rerank": "RERANKER"}),
    ),
    kind_of=_kind_of,
    first_token_events=frozenset({"gen_ai.content.completion.chunk", "llm.content.completion.chunk"}),
    documents=_documents,
    filters=_filters,
    questions=(
        last_user_message("gen_ai.prompt", "role", "content"),
        question_in("traceloop.entity.input"),
        _late_question,
    ),
    answers=(
        last_model_message("gen_ai.completion", "role", "content"),
        answer_in(_OUTPUT),
    ),
    sessions=(f"{_ASSOCIATED}.session_id", f"{_ASSOCIATED}.chat_id", f"{_ASSOCIATED}.conversation_id"),
    users=(f"{_ASSOCIATED}.user_id",),
)
