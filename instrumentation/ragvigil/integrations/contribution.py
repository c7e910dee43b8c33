"""Searches inside a search: one stage, the outermost."""

from contextvars import Token
from types import TracebackType
from typing import Final, Self, TypeVar, cast

from opentelemetry.context import Context, attach, create_key, get_current

from ragvigil.context import CURRENT_RECORDED, detach
from ragvigil.documents import Documents, FoundBelow
from ragvigil.fields import ScoreKind
from ragvigil.guard import GUARD
from ragvigil.predicates import And, Filter, opaque
from ragvigil.predicates.clauses import FilterBelow
from ragvigil.stages import Stage

T = TypeVar("T")

_RETRIEVE: Final = "retrieve"
_INNERMOST: Final = create_key("ragvigil-innermost-search")
_FACTS: Final = ("query", "top_k", "db_system", "collection", "index_version")


_UNSEEN: Final = Filter(None, raw="not seen")
_DIFFERENT: Final = FilterBelow(None, raw="searches that differ")
_ADDED: Final = opaque("ragvigil", "what a search inside adds")


def search_stage() -> Stage:
    """The stage of a search that begins; inside another search, one that only tells that one what it lacks."""
    context = get_current()
    nearest, inner = context.get(CURRENT_RECORDED), context.get(_INNERMOST)
    if not (isinstance(nearest, Stage) and nearest.name == _RETRIEVE and nearest.is_recording()):
        return Stage(_RETRIEVE)
    if isinstance(inner, Contribution) and inner.recorded is nearest:
        return Contribution(nearest, inner)
    return Contribution(nearest, nearest)


class Contribution(Stage):
    """Records nothing of its own. When it ends well, the search around it learns what it was not told otherwise.

    That is `outer`, a contribution itself perhaps; `recorded` is the one that is a stage.
    """

    __slots__ = ("_outer", "_search_token", "recorded")

    def __init__(self, recorded: Stage, outer: Stage) -> None:
        super().__init__(_RETRIEVE)
        self.recorded = recorded
        self._outer = outer
        self._search_token: Token[Context] | None = None

    def __enter__(self) -> Self:
        """Be the innermost search; the current span stays what it is."""
        with GUARD:
            self._search_token = attach(Context({**get_current(), _INNERMOST: self}))
        return self

    def is_recording(self) -> bool:
        """Whether the search outside still records."""
        return self._outer.is_recording()

    def __exit__(
        self, kind: type[BaseException] | None, failure: BaseException | None, trace: TracebackType | None
    ) -> None:
        with GUARD:
            if self._search_token is not None:
                token, self._search_token = self._search_token, None
                detach(token)
            if failure is None and self._outer.is_recording():
                self._tell()

    def _tell(self) -> None:
        own, outer = self.fields, self._outer.fields
        for fact in _FACTS:
            if own.get(fact) is not None and outer.get(fact) is None:
                outer[fact] = own[fact]
        said = own.get("filter")
        outer["filter"] = _joined_filter(outer.get("filter"), said if isinstance(said, Filter) else _UNSEEN)
        found = own.get("output_documents")
        if isinstance(found, Documents):
            kind = found.score_kind if isinstance(found, FoundBelow) else own.get("score_kind")
            below = FoundBelow.of(found, cast("ScoreKind | None", kind))
            outer["output_documents"] = _joined_documents(outer.get("output_documents"), below)


def _joined_filter(known: object, said: Filter) -> object:
    """What the search outside says of its filter is believed as far as nothing inside it restricts any more.

    One that knows of no filter may not know of one that is added inside; several that differ inside are no one filter.
    """
    below = FilterBelow(said.predicate, said.labels, said.dialect, said.raw)
    if isinstance(known, FilterBelow):
        return known if known == below else _DIFFERENT
    if not isinstance(known, Filter) or known.state == "none":
        return below
    return known if _adds_nothing(known, said) else known.beside(_ADDED)


def _adds_nothing(known: Filter, said: Filter) -> bool:
    """Whether a search inside is restricted to no more than is known, or to what is known to be unknown."""
    if isinstance(known.predicate, And) and _ADDED in known.predicate.args:
        return True
    return said.state == "none" or (known.predicate == said.predicate and said.predicate is not None)


def _joined_documents(known: object, found: FoundBelow) -> object:
    """The documents of all searches inside, each once; scores and texts stay where all of them have some, of a kind."""
    if known is None:
        return found
    if not isinstance(known, FoundBelow):
        return known
    seen = set(known.ids)
    new = [rank for rank, identity in enumerate(found.ids) if identity not in seen]
    kind = known.score_kind if known.score_kind == found.score_kind else None
    is_mixed = kind is None and None not in {known.score_kind, found.score_kind}
    joined = Documents(
        known.ids + tuple([found.ids[rank] for rank in new]),
        None if is_mixed else _both(known.scores, found.scores, new),
        _both(known.texts, found.texts, new),
    )
    return FoundBelow.of(joined, kind)


def _both(known: tuple[T, ...] | None, found: tuple[T, ...] | None, ranks: list[int]) -> tuple[T, ...] | None:
    return None if known is None or found is None else known + tuple([found[rank] for rank in ranks])
