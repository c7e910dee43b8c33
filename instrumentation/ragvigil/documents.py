"""Ids and scores of documents, copied at once: a reranker that sorts in place must not change what was recorded."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from numbers import Integral
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

Score: TypeAlias = float | None


class Documents(NamedTuple):
    """Ids, best first, and their scores; no scores at all is None. Elements become text and numbers when encoded."""

    ids: tuple[object, ...]
    scores: tuple[object, ...] | None


def copied(ids: Iterable[object], scores: Iterable[Score] | None = None) -> Documents:
    """Copy ids and scores.

    Raises TypeError for an iterator, which would be used up, and ValueError when the numbers differ.
    """
    copied_ids = _as_tuple(ids)
    if scores is None:
        return Documents(copied_ids, None)
    copied_scores = _as_tuple(scores)
    if len(copied_ids) != len(copied_scores):
        raise ValueError(f"{len(copied_ids)} document ids but {len(copied_scores)} scores")
    return Documents(copied_ids, copied_scores)


def returned(result: object, extract: Callable[[Any], Any] | None = None) -> Documents:
    """Find the documents in what a retriever returned.

    Understood are ids, (id, score) pairs, objects or dictionaries with `id` and perhaps `score`, and one object or
    dictionary with `ids` and perhaps `scores`; `extract` turns anything else into one of these.
    Raises TypeError or ValueError for what is none of them.
    """
    found = result if extract is None else extract(result)
    ids = _get(found, "ids")
    if ids is not None:
        return copied(ids, _get(found, "scores"))
    documents = _as_tuple(found)
    if not documents or isinstance(documents[0], _IDS):
        return Documents(documents, None)
    pairs = [_pair(document) for document in documents]
    scores = tuple([score for _, score in pairs])
    return Documents(tuple([name for name, _ in pairs]), scores if any(s is not None for s in scores) else None)


def _pair(document: object) -> tuple[object, object]:
    if isinstance(document, tuple | list) and len(document) == 2:
        return (_identity(document[0]), document[1])
    return (_identity(document), _get(document, "score"))


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
    if isinstance(values, list | tuple):
        return tuple(values)
    if hasattr(values, "tolist"):
        return tuple(values.tolist())
    if isinstance(values, (Iterator, str | bytes | Mapping)):
        raise TypeError(f"expected a list of documents, got {type(values).__name__}")
    return tuple(values)  # type: ignore[arg-type]  # anything iterable will do, the rest raises TypeError


_IDS = (str, Integral, UUID)
