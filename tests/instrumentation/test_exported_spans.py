"""What leaves the process, span by span and attribute by attribute."""

import ast
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil import entitlement, relevance, where
from ragvigil.predicates import eq, gte, in_
from ragvigil.testing import InMemoryExporter, ManualClock, SpanSnapshot, describe

Exported = Callable[[], InMemoryExporter]
PACKAGE = Path(ragvigil.__file__).parent

WHOLE_TRACE = """\
embed [0000000000000002 below 0000000000000001] 0.02 s unset
    embedding.model_name = 'mini'
    gen_ai.request.model = 'mini'
    ragvigil.cache.embedding.hit = False
    gen_ai.embeddings.dimension.count = 2
    ragvigil.query.vector = b'\\x00\\x00\\x80?\\x00\\x00\\x00@'
    ragvigil.stage.cost_usd = 1e-05
    gen_ai.operation.name = 'embeddings'
    ragvigil.stage = 'embed'
    ragvigil.answer.span_id = '0000000000000001'
    openinference.span.kind = 'EMBEDDING'
retrieve [0000000000000003 below 0000000000000001] 0.1 s unset
    retrieval.documents.0.document.id = 'a'
    retrieval.documents.0.document.score = 0.9
    retrieval.documents.1.document.id = 'b'
    retrieval.documents.1.document.score = 0.5
    input.value = 'read a file'
    gen_ai.retrieval.query.text = 'read a file'
    db.system.name = 'qdrant'
    db.collection.name = 'docs'
    ragvigil.index.version = '2026-06-01'
    ragvigil.embedding.version = 'mini-3'
    ragvigil.filter.extractor.name = 'rules'
    ragvigil.filter.extractor.version = '7'
    ragvigil.score.kind = 'similarity'
    gen_ai.retrieval.top_k = 20
    gen_ai.retrieval.documents = '[{"id":"a","score":0.9},{"id":"b","score":0.5}]'
    ragvigil.stage.output_documents = '[{"id":"a","score":0.9},{"id":"b","score":0.5}]'
    ragvigil.stage.output_count = 2
    ragvigil.filter.dialect = 'neutral'
    ragvigil.filter.ast = '{"op":"and","args":[{"op":"eq","field":"tenant","value_hmac":"\
589889465b6d47a4ebb14ada206e5861788f156de98c4071792349820dbf907d"},{"op":"eq","field":"kind","value":"function"}]}'
    ragvigil.filter.clauses = '[{"path":"/args/0","role":"entitlement","origin":"caller","kind":null},\
{"path":"/args/1","role":"relevance","origin":"rule","kind":"topic"}]'
    ragvigil.filter.opaque_count = 0
    ragvigil.filter.state = 'known'
    gen_ai.operation.name = 'retrieval'
    ragvigil.stage = 'retrieve'
    ragvigil.answer.span_id = '0000000000000001'
    openinference.span.kind = 'RETRIEVER'
rerank [0000000000000004 below 0000000000000001] 0 s unset
    reranker.input_documents.0.document.id = 'a'
    reranker.input_documents.1.document.id = 'b'
    reranker.output_documents.0.document.id = 'b'
    reranker.output_documents.0.document.score = 3.5
    input.value = 'read a file'
    reranker.query = 'read a file'
    reranker.model_name = 'cross'
    gen_ai.request.model = 'cross'
    ragvigil.score.kind = 'logit'
    reranker.top_k = 1
    ragvigil.stage.input_documents = '[{"id":"a","score":null},{"id":"b","score":null}]'
    ragvigil.stage.input_count = 2
    ragvigil.stage.output_documents = '[{"id":"b","score":3.5}]'
    ragvigil.stage.output_count = 1
    ragvigil.stage = 'rerank'
    ragvigil.answer.span_id = '0000000000000001'
    openinference.span.kind = 'RERANKER'
assemble [0000000000000005 below 0000000000000001] 0 s unset
    ragvigil.context.doc_ids = ['b']
    ragvigil.context.tokens = 120
    ragvigil.context.truncated = True
    ragvigil.stage = 'assemble'
    ragvigil.answer.span_id = '0000000000000001'
    openinference.span.kind = 'CHAIN'
generate [0000000000000006 below 0000000000000001] 1.5 s unset
    output.value = 'open it'
    gen_ai.provider.name = 'house'
    gen_ai.response.id = 'r-1'
    gen_ai.response.model = 'large-7'
    llm.model_name = 'large'
    gen_ai.request.model = 'large'
    llm.token_count.prompt = 120
    gen_ai.usage.input_tokens = 120
    llm.token_count.completion = 7
    gen_ai.usage.output_tokens = 7
    llm.token_count.total = 127
    gen_ai.usage.cache_read.input_tokens = 100
    llm.cost.total = 0.002
    ragvigil.stage.cost_usd = 0.002
    gen_ai.response.time_to_first_chunk = 0.25
    gen_ai.operation.name = 'chat'
    ragvigil.stage = 'generate'
    ragvigil.answer.span_id = '0000000000000001'
    openinference.span.kind = 'LLM'
ask [0000000000000001] 1.62 s unset
    input.value = 'how to read a file'
    output.value = 'open it'
    ragvigil.citations = '[{"doc_id":"b","rank":1}]'
    gen_ai.conversation.id = 's-1'
    session.id = 's-1'
    enduser.pseudo.id = '85154a3107b5df98cb9dfbfc6373f3b6'
    user.id = '85154a3107b5df98cb9dfbfc6373f3b6'
    ragvigil.slice.team = 'data'
    ragvigil.intent = 'how-to'
    ragvigil.refusal = False
    ragvigil.confidence = 0.75
    ragvigil.regeneration_of = '00000000000000000000000000000009-0000000000000007'
    gen_ai.operation.name = 'invoke_workflow'
    ragvigil.answer.id = '00000000000000000000000000000001-0000000000000001'
    openinference.span.kind = 'CHAIN'
  link 00000000000000000000000000000009 0000000000000007"""


def record_whole_trace(clock: ManualClock) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(question="how to read a file", session_id="s-1", user_id="u-1", intent="how-to")
        answer.slice("team", "data")
        with ragvigil.stage("embed") as s:
            s.set(model="mini", cost_usd=0.00001)
            s.cache("embedding", hit=False)
            s.vector([1.0, 2.0])
            clock.advance(0.02)
        record_documents(clock)
        with ragvigil.stage("generate") as s:
            s.set(model="large", provider="house", response_id="r-1", response_model="large-7", cost_usd=0.002)
            s.set(input_tokens=120, output_tokens=7, cached_tokens=100, output="open it")
            clock.advance(0.25)
            s.first_token()
            clock.advance(1.25)
        answer.set(answer="open it", citations=["b"], refusal=False, confidence=0.75)
        answer.set(regeneration_of=f"{9:032x}-{7:016x}")


def record_documents(clock: ManualClock) -> None:
    with ragvigil.stage("retrieve") as s:
        s.set(query="read a file", top_k=20, score_kind="similarity", db_system="qdrant", collection="docs")
        s.set(index_version="2026-06-01", embedding_version="mini-3")
        s.set(filter_extractor="rules", filter_extractor_version="7")
        s.filter(
            where(
                entitlement(eq("tenant", "acme")),
                relevance(eq("kind", "function"), origin="rule", kind="topic"),
            )
        )
        s.outputs(["a", "b"], [0.9, 0.5])
        clock.advance(0.1)
    with ragvigil.stage("rerank") as s:
        s.set(query="read a file", top_k=1, model="cross", score_kind="logit")
        s.inputs(["a", "b"])
        s.outputs(["b"], [3.5])
    with ragvigil.stage("assemble") as s:
        s.context(["b"], tokens=120, truncated=True)


def test_a_whole_trace(exported: Exported, clock: ManualClock) -> None:
    record_whole_trace(clock)
    assert describe(exported().spans) == WHOLE_TRACE


def test_an_empty_context_is_told_apart_from_an_unknown_one(exported: Exported) -> None:
    with ragvigil.pipeline("ask"):
        with ragvigil.stage("assemble") as s:
            s.context([])
        with ragvigil.stage("unknown"):
            pass
    empty, unknown, _ = exported().spans
    assert empty.attributes[names.CONTEXT_DOC_IDS] == []
    assert names.CONTEXT_DOC_IDS not in unknown.attributes


def test_every_span_ends_with_its_kind(exported: Exported, clock: ManualClock) -> None:
    record_whole_trace(clock)
    assert {list(span.attributes)[-1] for span in exported().spans} == {names.SPAN_KIND}


def test_what_the_monitor_needs_survives_a_limit_of_128_attributes(exported: Exported) -> None:
    ids = [f"d{number}" for number in range(200)]
    with ragvigil.pipeline("ask"), ragvigil.stage("retrieve") as s:
        s.set(query="q", top_k=200, cost_usd=0.1, score_kind="similarity")
        s.filter(where(relevance(eq("kind", "x"))))
        s.outputs(ids, [0.5] * 200)
    span = exported().one("retrieve")
    kept = list(span.attributes)[-128:]
    assert set(span.attributes) - set(kept) <= {
        f"retrieval.documents.{i}.document.{part}" for i in range(200) for part in ("id", "score")
    }


def test_the_resource_says_who_sent_it(exported: Exported) -> None:
    with ragvigil.stage("embed"):
        pass
    resource = exported().one("embed").resource
    instance = resource.pop(names.SERVICE_INSTANCE_ID)
    pid = resource.pop(names.PROCESS_PID)
    assert len(instance) == 36
    assert pid > 0
    assert resource == {
        names.TELEMETRY_SDK_NAME: "ragvigil",
        names.TELEMETRY_SDK_LANGUAGE: "python",
        names.TELEMETRY_SDK_VERSION: ragvigil.__version__,
        names.SCHEMA_VERSION: "1",
        names.SERVICE_NAME: "shop",
        names.PROJECT_NAME: "shop",
    }


@pytest.mark.parametrize(
    ("stage", "kind", "operation"),
    [
        ("embed", "EMBEDDING", "embeddings"),
        ("retrieve", "RETRIEVER", "retrieval"),
        ("rerank", "RERANKER", None),
        ("generate", "LLM", "chat"),
        ("rewrite", "CHAIN", None),
        ("my own", "CHAIN", None),
    ],
)
def test_the_name_of_a_stage_decides_its_kind(exported: Exported, stage: str, kind: str, operation: str | None) -> None:
    with ragvigil.stage(stage):
        pass
    attributes = exported().one(stage).attributes
    assert attributes[names.SPAN_KIND] == kind
    assert attributes.get(names.OPERATION_NAME) == operation
    assert attributes[names.STAGE] == stage


def filter_attributes(span: SpanSnapshot) -> dict[str, object]:
    return {key: value for key, value in span.attributes.items() if key.startswith("ragvigil.filter.")}


def test_a_retrieval_that_says_nothing_of_its_filter_is_unknown(exported: Exported) -> None:
    with ragvigil.stage("retrieve"):
        pass
    assert filter_attributes(exported().one("retrieve")) == {
        names.FILTER_DIALECT: "neutral",
        names.FILTER_STATE: "unknown",
    }


def test_a_stage_that_retrieves_nothing_has_no_filter(exported: Exported) -> None:
    with ragvigil.stage("embed"):
        pass
    assert filter_attributes(exported().one("embed")) == {}


@pytest.mark.parametrize("native", [None, where(), {}], ids=["None", "where()", "empty mapping"])
def test_no_filter_is_none_and_not_unknown(exported: Exported, native: object) -> None:
    with ragvigil.stage("retrieve") as s:
        s.filter(native)
    assert exported().one("retrieve").attributes[names.FILTER_STATE] == "none"


def test_a_filter_with_an_opaque_part_is_partial(exported: Exported) -> None:
    with ragvigil.stage("retrieve") as s:
        s.filter(where(entitlement(gte("clearance", 3)), relevance(in_("kind", ["a", "b"]))))
    attributes = exported().one("retrieve").attributes
    assert attributes[names.FILTER_OPAQUE_COUNT] == 1
    assert attributes[names.FILTER_STATE] == "partial"
    assert "3" not in json.loads(attributes[names.FILTER_AST])["args"][0]["raw"]


def test_scores_that_are_no_numbers_become_null(exported: Exported) -> None:
    with ragvigil.stage("retrieve") as s:
        s.outputs(["a", "b", "c"], [float("nan"), None, float("inf")])
    attributes = exported().one("retrieve").attributes
    assert json.loads(attributes[names.STAGE_OUTPUT_DOCUMENTS]) == [
        {"id": "a", "score": None},
        {"id": "b", "score": None},
        {"id": "c", "score": None},
    ]
    assert names.GENAI_RETRIEVAL_DOCUMENTS not in attributes


def test_none_is_the_same_as_nothing(exported: Exported) -> None:
    with ragvigil.stage("generate") as s:
        s.set(model=None, input_tokens=None, cost_usd=None)
    assert names.REQUEST_MODEL not in exported().one("generate").attributes


def test_an_answer_id_of_another_make_gives_no_link(exported: Exported) -> None:
    with ragvigil.pipeline("ask") as answer:
        answer.set(regeneration_of="their-own-id")
    span = exported().one("ask")
    assert span.links == []
    assert span.attributes[names.REGENERATION_OF] == "their-own-id"


def test_attribute_names_are_typed_in_one_module() -> None:
    defined = {
        value
        for name, value in vars(names).items()
        if name.isupper() and isinstance(value, str) and "." in value and name != "CURRENT_SCHEMA"
    }
    typed_elsewhere = {
        f"{file.relative_to(PACKAGE)}:{node.lineno} {node.value}"
        for file in PACKAGE.rglob("*.py")
        if file.name != "attributes.py"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and node.value in defined
    }
    assert not typed_elsewhere


def test_every_attribute_name_has_a_meaning() -> None:
    source = (PACKAGE / "attributes.py").read_text(encoding="utf-8")
    body = ast.parse(source).body
    undocumented = [
        following.lineno
        for statement, following in pairwise(body)
        if isinstance(statement, ast.AnnAssign)
        and not (isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant))
    ]
    assert not undocumented
