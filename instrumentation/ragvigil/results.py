"""What a search function returned, and what is recorded of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ragvigil.documents import Documents, FoundBelow, metadata_in, returned, with_scores_of
from ragvigil.probes.passes import DroppedClauses
from ragvigil.stages import Stage


@dataclass(frozen=True, slots=True)
class Results:
    """Reads results; `extract` turns one of a shape of its own into a shape that `returned` understands."""

    extract: Callable[[Any], Any] | None = None

    def record(self, stage: Stage, result: object) -> None:
        """Record the documents, unless the search recorded them itself; raises for a result that has none."""
        fields = stage.fields  # taken first, as the stage itself does: reading results takes as long as it takes
        if stage.is_recording() and not _has_told(fields):
            _record(fields, returned(result, self.extract, texts=stage.takes_texts()))

    def record_probe(self, dropped: DroppedClauses, stage: Stage, result: object) -> None:
        """The same for a probe, and whether each document passes the clauses that were dropped."""
        fields = stage.fields
        if not stage.is_recording():
            return
        metadata: tuple[object, ...] = ()
        if not _has_told(fields):
            found = result if self.extract is None else self.extract(result)
            _record(fields, returned(found, texts=stage.takes_texts()))
            metadata = metadata_in(found)
        documents = fields["output_documents"]
        if isinstance(documents, Documents):
            fields["passes"] = dropped.passes(documents.ids, metadata)


def _has_told(fields: Mapping[str, object]) -> bool:
    """Whether the search recorded its documents itself."""
    told = fields.get("output_documents")
    return told is not None and not isinstance(told, FoundBelow)


def _record(fields: dict[str, object], found: Documents) -> None:
    below = fields.get("output_documents")
    told = with_scores_of(below, found) if isinstance(below, FoundBelow) else found
    fields["output_documents"] = told
    if told is not found and isinstance(below, FoundBelow) and below.score_kind is not None:
        fields["score_kind"] = below.score_kind
