"""One line for each recorded field: which attributes it becomes, in the order in which they are written.

SDKs and back ends that cap attributes drop the oldest, so long lists and texts come first and what the monitor
needs comes last.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from json.encoder import encode_basestring_ascii as quoted
from typing import Final, TypeAlias, cast

from ragvigil import attributes as names
from ragvigil.documents import Documents
from ragvigil.encoding.documents import Scored, documents_json
from ragvigil.encoding.kinds import EMBEDDING, LLM, RERANKER, RETRIEVER
from ragvigil.encoding.numbers import as_number
from ragvigil.encoding.writer import AttributeWriter, compact
from ragvigil.predicates import Filter, Label, labels_to_json, to_json

Write: TypeAlias = Callable[[AttributeWriter, object], None]

_MODEL_KEYS: Final[Mapping[str, str]] = {
    EMBEDDING: names.EMBEDDING_MODEL_NAME,
    RERANKER: names.RERANKER_MODEL_NAME,
    LLM: names.LLM_MODEL_NAME,
}
_QUERY_KEYS: Final[Mapping[str, str]] = {RETRIEVER: names.RETRIEVAL_QUERY_TEXT, RERANKER: names.RERANKER_QUERY}
_OUTPUT_PREFIXES: Final[Mapping[str, str]] = {
    RETRIEVER: names.RETRIEVAL_DOCUMENTS,
    RERANKER: names.RERANKER_OUTPUT_DOCUMENTS,
}


def _text(*keys: str) -> Write:
    return lambda out, value: out.text(value, *keys)


def _integer(*keys: str) -> Write:
    return lambda out, value: out.integer(value, *keys)


def _double(*keys: str) -> Write:
    return lambda out, value: out.double(value, *keys)


def _boolean(*keys: str) -> Write:
    return lambda out, value: out.boolean(value, *keys)


def _on_llm(key: str, llm_key: str, write: Callable[..., Write]) -> Write:
    both, one = write(llm_key, key), write(key)
    return lambda out, value: (both if out.kind == LLM else one)(out, value)


def _query(out: AttributeWriter, value: object) -> None:
    own = _QUERY_KEYS.get(out.kind)
    out.text(value, names.INPUT_VALUE, *([own] if own else []))


def _top_k(out: AttributeWriter, value: object) -> None:
    out.integer(value, names.RERANKER_TOP_K if out.kind == RERANKER else names.RETRIEVAL_TOP_K)


def _model(out: AttributeWriter, value: object) -> None:
    own = _MODEL_KEYS.get(out.kind)
    out.text(value, *([own] if own else []), names.REQUEST_MODEL)


def _flat_inputs(out: AttributeWriter, value: object) -> None:
    if out.kind == RERANKER:
        out.documents(cast("Scored", value), names.RERANKER_INPUT_DOCUMENTS)


def _flat_outputs(out: AttributeWriter, value: object) -> None:
    prefix = _OUTPUT_PREFIXES.get(out.kind)
    if prefix is not None:
        out.documents(cast("Scored", value), prefix)


def _input_texts(out: AttributeWriter, value: object) -> None:
    if out.kind == RERANKER:
        out.contents(cast("Documents", value), names.RERANKER_INPUT_DOCUMENTS)
    else:
        out.refuse("texts of input documents are not recorded: only rerank stages have a place for them")


def _output_texts(out: AttributeWriter, value: object) -> None:
    prefix = names.RERANKER_OUTPUT_DOCUMENTS if out.kind == RERANKER else names.RETRIEVAL_DOCUMENTS
    out.contents(cast("Documents", value), prefix)


def _inputs(out: AttributeWriter, value: object) -> None:
    documents = cast("Scored", value)
    out.text(documents_json(documents), names.STAGE_INPUT_DOCUMENTS)
    out.integer(len(documents.ids), names.STAGE_INPUT_COUNT)


def _outputs(out: AttributeWriter, value: object) -> None:
    documents = cast("Scored", value)
    complete = out.kind == RETRIEVER and None not in documents.scores
    keys = (names.GENAI_RETRIEVAL_DOCUMENTS, names.STAGE_OUTPUT_DOCUMENTS)
    out.text(documents_json(documents), *keys[0 if complete else 1 :])
    out.integer(len(documents.ids), names.STAGE_OUTPUT_COUNT)


def _context_documents(out: AttributeWriter, value: object) -> None:
    out.texts(cast("Scored", value).ids, names.CONTEXT_DOC_IDS)


def _vector(out: AttributeWriter, value: object) -> None:
    packed = cast("bytes", value)
    out.integer(len(packed) // 4, names.EMBEDDINGS_DIMENSION)
    out.raw(packed, names.QUERY_VECTOR)


def _dropped_clauses(out: AttributeWriter, value: object) -> None:
    out.texts(cast("Iterable[str]", value), names.PROBE_DROPPED_CLAUSES)


def _passes(out: AttributeWriter, value: object) -> None:
    out.json(list(cast("Iterable[bool | None]", value)), names.PROBE_PASSES)


def _slices(out: AttributeWriter, value: object) -> None:
    for name, member in cast("Mapping[str, object]", value).items():
        out.text(member, f"{names.SLICE_PREFIX}{name}")


def _citations(out: AttributeWriter, value: object) -> None:
    cited = enumerate(cast("Iterable[object]", value), start=1)
    parts = [f'{{"doc_id":{quoted(str(identity))},"rank":{rank}}}' for rank, identity in cited]
    out.text(f"[{','.join(parts)}]", names.CITATIONS)


def _committed_at(out: AttributeWriter, value: object) -> None:
    if isinstance(value, datetime) and value.utcoffset() is not None:
        out.text(value.astimezone(UTC).isoformat(), names.INDEX_COMMITTED_AT)
    else:
        out.refuse(f"{names.INDEX_COMMITTED_AT} is not recorded: expected a datetime with a time zone")


def _kind(out: AttributeWriter, value: object) -> None:
    if value != out.kind:
        out.refuse(f"the kind of a stage is not recorded: its name says {out.kind}, or there is no such kind")


def _confidence(out: AttributeWriter, value: object) -> None:
    number = as_number(value)
    out.double(value if number is not None and 0 <= number <= 1 else None, names.CONFIDENCE)


def _filter(out: AttributeWriter, value: object) -> None:
    said = cast("Filter", value)
    out.text(said.dialect, names.FILTER_DIALECT)
    if said.raw is not None:
        out.text(said.raw, names.FILTER_RAW)
    if said.predicate is not None:
        try:
            ast = compact(to_json(said.predicate))
        except (TypeError, ValueError, RecursionError) as failure:  # a leaf that was made by hand holds anything
            out.refuse(f"a filter is not recorded, and its state is unknown: {failure}")
            out.text("unknown", names.FILTER_STATE)
            return
        out.text(ast, names.FILTER_AST)
        is_plain = _PLAIN.issuperset(map(type, chain.from_iterable(said.labels)))
        out.text((_kept_clauses if is_plain else _clauses)(said.labels), names.FILTER_CLAUSES)
        out.integer(said.opaque_count, names.FILTER_OPAQUE_COUNT)
    out.text(said.state, names.FILTER_STATE)


def _clauses(labels: tuple[Label, ...]) -> str:
    """Which clause has which role."""
    return compact(labels_to_json(labels))


# An application has a few such lists, whatever the values in its filters are.
_kept_clauses = lru_cache(maxsize=256)(_clauses)
_PLAIN: Final = frozenset({str, type(None)})


FIELDS: Final[tuple[tuple[str, Write], ...]] = (
    # Texts of documents, then long lists for other back ends.
    ("input_texts", _input_texts),
    ("output_texts", _output_texts),
    ("input_documents", _flat_inputs),
    ("output_documents", _flat_outputs),
    # Texts.
    ("input", _text(names.INPUT_VALUE)),
    ("output", _text(names.OUTPUT_VALUE)),
    ("query", _query),
    ("question", _text(names.INPUT_VALUE)),
    ("answer", _text(names.OUTPUT_VALUE)),
    # Facts.
    ("kind", _kind),
    ("db_system", _text(names.DB_SYSTEM)),
    ("collection", _text(names.DB_COLLECTION)),
    ("data_source", _text(names.DATA_SOURCE_ID)),
    ("reranker_device", _text(names.RERANKER_DEVICE)),
    ("reranker_batch_size", _integer(names.RERANKER_BATCH_SIZE)),
    ("provider", _text(names.PROVIDER_NAME)),
    ("response_id", _text(names.RESPONSE_ID)),
    ("response_model", _text(names.RESPONSE_MODEL)),
    ("model", _model),
    ("index_version", _text(names.INDEX_VERSION)),
    ("index_committed_at", _committed_at),
    ("embedding_version", _text(names.EMBEDDING_VERSION)),
    ("filter_extractor", _text(names.FILTER_EXTRACTOR_NAME)),
    ("filter_extractor_version", _text(names.FILTER_EXTRACTOR_VERSION)),
    ("score_kind", _text(names.SCORE_KIND)),
    ("top_k", _top_k),
    ("retrieval_turn", _integer(names.RETRIEVAL_TURN)),
    ("embedding_cache_hit", _boolean(names.CACHE_EMBEDDING_HIT)),
    ("retrieval_cache_hit", _boolean(names.CACHE_RETRIEVAL_HIT)),
    ("answer_cache_hit", _boolean(names.CACHE_ANSWER_HIT)),
    # What the monitor judges.
    ("vector", _vector),
    ("context_documents", _context_documents),
    ("context_tokens", _integer(names.CONTEXT_TOKENS)),
    ("context_truncated", _boolean(names.CONTEXT_TRUNCATED)),
    ("input_count", _integer(names.STAGE_INPUT_COUNT)),
    ("input_documents", _inputs),
    ("output_count", _integer(names.STAGE_OUTPUT_COUNT)),
    ("output_documents", _outputs),
    ("citations", _citations),
    ("input_tokens", _on_llm(names.USAGE_INPUT_TOKENS, names.LLM_TOKENS_PROMPT, _integer)),
    ("output_tokens", _on_llm(names.USAGE_OUTPUT_TOKENS, names.LLM_TOKENS_COMPLETION, _integer)),
    ("total_tokens", _integer(names.LLM_TOKENS_TOTAL)),
    ("cached_tokens", _integer(names.USAGE_CACHED_TOKENS)),
    ("cost_usd", _on_llm(names.STAGE_COST, names.LLM_COST_TOTAL, _double)),
    ("first_token_s", _double(names.TIME_TO_FIRST_CHUNK)),
    ("filter", _filter),
    ("session_id", _text(names.CONVERSATION_ID, names.SESSION_ID)),
    ("user_id", _text(names.ENDUSER_PSEUDO_ID, names.USER_ID)),
    ("slices", _slices),
    ("intent", _text(names.INTENT)),
    ("refusal", _boolean(names.REFUSAL)),
    ("confidence", _confidence),
    ("budget_exhausted", _boolean(names.BUDGET_EXHAUSTED)),
    ("experiment_unit", _text(names.EXPERIMENT_UNIT)),
    ("experiment_arm", _text(names.EXPERIMENT_ARM)),
    ("experiment_id", _text(names.EXPERIMENT_ID)),
    ("regeneration_of", _text(names.REGENERATION_OF)),
    ("sampling_probability", _double(names.SAMPLING_PROBABILITY)),
    ("passes", _passes),
    ("dropped_clauses", _dropped_clauses),
    ("probe_kind", _text(names.PROBE_KIND)),
)


@lru_cache(maxsize=256)
def plan(recorded: tuple[str, ...]) -> tuple[tuple[tuple[str, Write], ...], tuple[str, ...]]:
    """What to write for these fields, in order, and which of them are not known."""
    known = {field for field, _ in FIELDS}
    return tuple([line for line in FIELDS if line[0] in recorded]), tuple([f for f in recorded if f not in known])
