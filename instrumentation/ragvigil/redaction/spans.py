"""The recorded facts of a span as they may leave."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from ragvigil.documents import Documents
from ragvigil.guard import GUARD
from ragvigil.predicates import Filter
from ragvigil.rare import Rare, Value
from ragvigil.redaction.content import DEFAULT, Modes
from ragvigil.redaction.details import DetailsRedactor
from ragvigil.redaction.documents import DocumentsRedactor
from ragvigil.redaction.filters import FilterRedactor
from ragvigil.redaction.values import Contents

if TYPE_CHECKING:
    from ragvigil.span import RecordedSpan

Fact: TypeAlias = tuple[object | None, Mapping[str, Value]]
"""What stays of a fact in its place, and attributes that stand for it elsewhere."""

NAMES: Final = frozenset(
    {
        "collection",
        "data_source",
        "db_system",
        "dropped_clauses",
        "embedding_version",
        "experiment_arm",
        "experiment_id",
        "filter_extractor",
        "filter_extractor_version",
        "index_committed_at",
        "index_version",
        "kind",
        "model",
        "passes",
        "probe_kind",
        "provider",
        "regeneration_of",
        "reranker_device",
        "response_id",
        "response_model",
        "score_kind",
    }
)
"""Facts that come from code and configuration, or are ids of telemetry: they are no content and stay as they are."""
_NOTHING: Final[Mapping[str, Value]] = {}
_NUMBERS: Final = frozenset({int, float, bool})


class SpanRedactor:
    """Applies the modes of every field; one that it does not know counts as content."""

    def __init__(self, modes: Modes, contents: Contents, filters: FilterRedactor) -> None:
        self._modes = modes
        self._contents = contents
        self._filters = filters
        self._documents = DocumentsRedactor(modes, contents)
        self._details = DetailsRedactor(modes, contents)
        self._special: dict[str, Callable[[str, Any], Fact]] = {
            **dict.fromkeys(("user_id", "session_id", "intent"), self._identifier),
            "experiment_unit": self._unit,
            **dict.fromkeys(("input_documents", "output_documents", "context_documents"), self._listed),
            "slices": self._slices,
            "citations": self._citations,
            "filter": self._filter,
            "vector": self._vector,
        }
        identifiers = {"user_id": "user_id", "session_id": "session_id", "intent": "intent", "vector": "query_vector"}
        self._full_texts = {name for name, mode in modes.items() if mode == "full" and name not in self._special}
        self._unchanged = NAMES.union([name for name, field in identifiers.items() if modes[field] == "full"])

    def redact(self, span: "RecordedSpan") -> None:
        """Replace the facts of a finished span; one that cannot be redacted is left out and counted."""
        fields, elsewhere = self._facts(span.fields)
        rare = None if span.rare is None else self._details.redacted(span.rare)
        if elsewhere:
            rare = Rare() if rare is None else rare
            rare.attributes |= elsewhere
        span.fields, span.rare = fields, rare

    def _facts(self, recorded: Mapping[str, object]) -> tuple[dict[str, object], dict[str, Value]]:
        """What stays, and the attributes that stand for something elsewhere."""
        fields: dict[str, object] = {}
        elsewhere: dict[str, Value] = {}
        for name, fact in dict(recorded).items():  # a copy: the application may still write
            if name in self._unchanged or (type(fact) in _NUMBERS and name not in self._special):
                fields[name] = fact
                continue
            if type(fact) is str and name in self._full_texts:
                kept, attributes = self._text(fact)
            else:
                kept, attributes = self._fact(name, fact)
            if attributes:
                elsewhere |= attributes
            if kept is not None:
                fields[name] = kept
        return fields, elsewhere

    def _text(self, fact: str) -> Fact:
        return self._contents.texts.redacted(fact), _NOTHING

    def _fact(self, name: str, fact: object) -> Fact:
        with GUARD:
            return self._special.get(name, self._content)(name, fact)
        self._contents.texts.count("withheld")
        return None, _NOTHING

    def _content(self, name: str, fact: object) -> Fact:
        mode = self._modes.get(name, self._modes[DEFAULT])
        return self._contents.kept(mode, fact), self._contents.hashed(mode, name, fact)

    def _identifier(self, name: str, fact: object) -> Fact:
        return self._contents.identifier(self._modes[name], name, fact), _NOTHING

    def _unit(self, name: str, fact: object) -> Fact:
        """Hashed like a user id, which it mostly is, so that both can still be compared."""
        return self._contents.identifier(self._modes[name], "user_id", fact), _NOTHING

    def _slices(self, name: str, fact: Mapping[str, object]) -> Fact:
        mode = self._modes[name]
        kept = {
            slice_: self._contents.identifier(mode, f"slice {slice_}", value) for slice_, value in dict(fact).items()
        }
        return {slice_: value for slice_, value in kept.items() if value is not None}, _NOTHING

    def _listed(self, name: str, fact: Documents) -> Fact:
        return self._documents.redacted(fact), self._documents.hashed(name, fact)

    def _citations(self, name: str, fact: tuple[object, ...]) -> Fact:  # noqa: ARG002 - the signature of them all
        return self._documents.ids(fact), _NOTHING

    def _filter(self, name: str, fact: Filter) -> Fact:  # noqa: ARG002 - as above
        return self._filters.redacted(fact), _NOTHING

    def _vector(self, name: str, fact: object) -> Fact:  # noqa: ARG002 - as above
        return (fact if self._modes["query_vector"] == "full" else None), _NOTHING
