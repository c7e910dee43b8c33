"""Stages of an answer: what came in, what came out, with what filter, at what cost."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, ParamSpec, TypeAlias, TypeVar, Unpack

from ragvigil import current
from ragvigil.dialects import read_filter
from ragvigil.documents import Documents, Score, copied, with_texts
from ragvigil.fields import OwnKind, StageFields
from ragvigil.guard import GUARD
from ragvigil.observation import Observation
from ragvigil.span import RecordedSpan
from ragvigil.vectors import Vector, vector_bytes
from ragvigil.wrapping import wrap

P = ParamSpec("P")
R = TypeVar("R")
Cache: TypeAlias = Literal["embedding", "retrieval", "answer"]


class Stage(RecordedSpan):
    """One step of a pipeline: a span that also takes documents, filter, vector, tokens and cost.

    A context manager, sync and async, for one use; as a decorator it opens a new stage for each call. Whatever is
    handed to it is copied at once. None of its methods raises.
    """

    # Each method takes hold of `fields` before it asks whether the stage has ended, see `RecordedSpan._end`.

    __slots__ = ()

    def set(self, **facts: Unpack[StageFields]) -> None:
        """Record facts; the last one counts. Costs are in USD, tokens are counts, turns of retrieval count from 1.

        `input_count` and `output_count` are numbers of documents, for a stage that does not know their ids.
        `index_committed_at` is when the newest document of the index was committed, with a time zone.
        """
        fields = self.fields
        if self._takes_facts():
            fields.update(facts)

    def inputs(
        self,
        ids: Sequence[object],
        scores: Sequence[Score] | None = None,
        texts: Sequence[str | None] | None = None,
    ) -> None:
        """Record the documents that the stage was given, in order, with one score each if there are scores.

        `texts`, one each, are recorded on `rerank` stages where `configure(document_texts=True)` asks for them.
        """
        fields = self.fields
        try:
            if self._takes_facts():
                fields["input_documents"] = self._copied(ids, scores, texts)
        except Exception as own_failure:  # noqa: BLE001 - the guard, written out on a hot path, as below
            GUARD.caught(own_failure)

    def outputs(
        self,
        ids: Sequence[object],
        scores: Sequence[Score] | None = None,
        texts: Sequence[str | None] | None = None,
    ) -> None:
        """Record the documents that the stage returned, best first, with one score each if there are scores.

        `texts`, one each, are recorded where `configure(document_texts=True)` asks for them.
        """
        fields = self.fields
        try:
            if self._takes_facts():
                fields["output_documents"] = self._copied(ids, scores, texts)
        except Exception as own_failure:  # noqa: BLE001
            GUARD.caught(own_failure)

    def context(self, doc_ids: Sequence[object], tokens: int | None = None, truncated: bool | None = None) -> None:
        """Record what the generator will see: documents in order, length in tokens, whether some did not fit."""
        fields = self.fields
        try:
            if self._takes_facts():
                fields["context_documents"] = copied(doc_ids)
                fields["context_tokens"] = tokens
                fields["context_truncated"] = truncated
        except Exception as own_failure:  # noqa: BLE001
            GUARD.caught(own_failure)

    def filter(self, native: object, dialect: str | None = None, relevance: Iterable[str] = ()) -> None:
        """Record the filter of a retrieval: a `where(...)` or the one that the database was given; None for none.

        `dialect` names the language of a native filter, `relevance` the fields that may be relaxed. One that cannot
        be read is recorded as `unknown`.
        """
        fields = self.fields
        try:
            if self._takes_facts():
                fields["filter"] = read_filter(native, dialect, relevance)
        except Exception as own_failure:  # noqa: BLE001
            GUARD.caught(own_failure)

    def vector(self, vector: Vector) -> None:
        """Record the query vector: numbers, a numpy array, or little-endian float32 bytes."""
        fields = self.fields
        try:
            if self._takes_facts():
                fields["vector"] = vector_bytes(vector)
        except Exception as own_failure:  # noqa: BLE001
            GUARD.caught(own_failure)

    def takes_texts(self) -> bool:
        """Whether texts of documents are to be recorded."""
        recorder = current.recorder
        return recorder is not None and recorder.document_texts

    def cache(self, which: Cache, *, hit: bool) -> None:
        """Record whether a cache had what the stage would have computed."""
        fields = self.fields
        if self._takes_facts():
            fields[f"{which}_cache_hit"] = hit

    def _copied(
        self, ids: Sequence[object], scores: Sequence[Score] | None, texts: Sequence[str | None] | None
    ) -> Documents:
        documents = copied(ids, scores)
        return documents if texts is None or not self.takes_texts() else with_texts(documents, texts)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Open a stage of this name around every call of `function`; a generator is one stage, first to last item."""
        name, kind = self.name, self.fields.get("kind")
        return wrap(function, Observation(lambda: _made(name, kind)))


def stage(name: str, *, kind: OwnKind | None = None) -> Stage:
    """A stage: rewrite, embed, filter, retrieve, rerank, assemble, generate, postprocess, or a name of your own.

    `kind` says what one of your own is to other tools, where it is not just a part of a chain. Use it as
    `with stage("rerank") as s:`, `async with`, or `@stage("rerank")`.
    """
    return _made(name, kind)


def _made(name: str, kind: object) -> Stage:
    made = Stage(name)
    if kind is not None:
        made.fields["kind"] = kind
    return made
