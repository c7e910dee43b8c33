"""Ids and scores of documents, copied at once: a reranker that sorts in place must not change what was recorded."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, Final, NamedTuple, TypeAlias, TypeGuard
from uuid import UUID

from ragvigil.fields import ScoreKind

Score: TypeAlias = float | None
Text: TypeAlias = str | type | None
"""The text of a document; None where it has none, and the type of a value that is no text."""

LONGEST_TEXT: Final = 20_000
"""Characters of one text that are kept."""


class Documents(NamedTuple):
    """Ids, best first, their scores and their texts; none at all is None.

    Ids and scores become text and numbers when encoded.
    """

    ids: tuple[object, ...]
    scores: tuple[object, ...] | None
    texts: tuple[Text, ...] | None = None


class FoundBelow(Documents):
    """What a search found inside the one that records it; believed where that one tells nothing itself.

    `score_kind` is what its scores are, where that is known.
    """

    score_kind: ScoreKind | None = None

    @classmethod
    def of(cls, found: Documents, score_kind: ScoreKind | None) -> "FoundBelow":
        """The same documents."""
        made = cls(*found)
        made.score_kind = score_kind
        return made


def copied(ids: Iterable[object], scores: Iterable[Score] | None = None) -> Documents:
    """Copy ids and scores.

    Raises TypeError for an iterator, which would be used up, and ValueError when the numbers differ.
    """
    copied_ids = _as_tuple(ids)
    if scores is None:
        return _new(Documents, (copied_ids, None, None))
    copied_scores = _as_tuple(scores)
    if len(copied_ids) != len(copied_scores):
        raise ValueError(f"{len(copied_ids)} document ids but {len(copied_scores)} scores")
    return _new(Documents, (copied_ids, copied_scores, None))


def with_texts(documents: Documents, texts: Iterable[object] | None) -> Documents:
    """Add texts, which are strings and need no copy; what is no list of them becomes an empty one, and costs no ids."""
    return documents if texts is None else documents._replace(texts=tuple(map(_text, _listed(texts))))


def with_scores_of(below: FoundBelow, found: Documents) -> Documents:
    """Documents without scores take those of the search below, if they are some of its documents in its order."""
    if found.scores is not None or below.scores is None:
        return found
    scores = dict(zip(below.ids, below.scores, strict=True))
    in_order = iter(scores)
    is_part = all(identity in in_order for identity in found.ids)
    return found._replace(scores=tuple([scores[identity] for identity in found.ids])) if is_part else found


def returned(result: object, extract: Callable[[Any], Any] | None = None, *, texts: bool = False) -> Documents:
    """Find the documents in what a retriever returned.

    Understood are ids, (id, score) pairs, objects or dictionaries with `id` and perhaps `score` and `text` (or
    `page_content` or `content`), and one object or dictionary with `ids` and perhaps `scores` and `texts`; `extract`
    turns anything else into one of these. Texts are read on request only.
    Raises TypeError or ValueError for what is none of them.
    """
    found = result if extract is None else extract(result)
    ids = _get(found, "ids")
    if ids is not None:
        listed = copied(ids, _get(found, "scores"))
        return with_texts(listed, _get(found, "texts")) if texts else listed
    documents = _as_tuple(found)
    if not documents or isinstance(documents[0], _IDS):
        return Documents(documents, None)
    pairs = [_pair(document) for document in documents]
    scores = tuple([score for _, score in pairs])
    scored = Documents(tuple([name for name, _ in pairs]), scores if any(s is not None for s in scores) else None)
    return with_texts(scored, [_part(document, _TEXTS) for document in documents]) if texts else scored


def metadata_in(found: object) -> tuple[object, ...]:
    """The metadata of each document that `returned` finds, in `metadata` or `payload`; None where there are none.

    Raises TypeError for what holds no documents.
    """
    if _get(found, "ids") is not None:
        return _listed(_get(found, "metadata"))
    return tuple([_part(document, _METADATA) for document in _as_tuple(found)])


def _part(document: object, names: Iterable[str]) -> object:
    """The first of these parts that a document has; the type of the failure where reading it fails."""
    holder = document[0] if _is_pair(document) else document
    try:
        for name in names:
            part = _get(holder, name)
            if part is not None:
                return part
    except Exception as failure:  # noqa: BLE001 - a document of any type may fail in any way, and it costs this part
        return type(failure)
    return None


def _listed(values: object) -> tuple[Any, ...]:
    try:
        return _as_tuple(values)
    except Exception:  # noqa: BLE001 - as above
        return ()


def _text(value: object) -> Text:
    if isinstance(value, str):
        return value if len(value) <= LONGEST_TEXT else value[:LONGEST_TEXT]
    return value if value is None or isinstance(value, type) else type(value)


def _pair(document: object) -> tuple[object, object]:
    if _is_pair(document):
        return (_identity(document[0]), document[1])
    return (_identity(document), _get(document, "score"))


def _is_pair(document: object) -> TypeGuard[Sequence[object]]:
    return isinstance(document, tuple | list) and len(document) == 2


def _identity(document: object) -> object:
    if isinstance(document, _IDS):
        return document
    identity = _get(document, "id")
    if identity is None:
        raise TypeError(f"no id found in a document of type {type(document).__name__}")
    return identity


def _get(holder: object, name: str) -> Any:
    if isinstance(holder, Mapping):
        return holder.get(name)
    return getattr(holder, name, None)


def _as_tuple(values: object) -> tuple[Any, ...]:
    if isinstance(values, _LISTS):
        return tuple(values)
    if hasattr(values, "tolist"):
        return tuple(values.tolist())
    if isinstance(values, (Iterator, str | bytes | Mapping)):
        raise TypeError(f"expected a list of documents, got {type(values).__name__}")
    return tuple(values)  # type: ignore[arg-type]  # anything iterable will do, the rest raises TypeError


_new = tuple.__new__
"""Makes a named tuple in half the time that calling its class takes."""
_LISTS = (list, tuple)
_IDS = (str, Integral, UUID)
_TEXTS: Final = ("text", "page_content", "content")
_METADATA: Final = ("metadata", "payload")
