"""Documents as attributes: flattened as OpenInference asks, and as JSON."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from json.encoder import encode_basestring_ascii as quoted
from math import isfinite
from struct import Struct
from typing import Final, NamedTuple

from ragvigil import attributes as names
from ragvigil.documents import Documents
from ragvigil.encoding import wire
from ragvigil.encoding.numbers import as_number


class Scored(NamedTuple):
    """Documents as they are written, best first: ids that UTF-8 can carry, and a finite score or None for each."""

    ids: Sequence[str]
    scores: Sequence[float | None]


_DOUBLE: Final = Struct("<d").pack
_TEXT: Final = frozenset({str})
_FLOAT: Final = frozenset({float})
_LONGEST_KEPT: Final = 1024
_USUAL_COUNT: Final = 64
_USUAL_SIZE: Final = 100
"""Bytes of an id."""


def scored(documents: Documents) -> Scored:
    """Ids as text and scores as numbers; None for a score that is missing or no finite number."""
    ids = _texts(documents.ids)
    return Scored(ids, [None] * len(ids) if documents.scores is None else _doubles(documents.scores))


def flattened(documents: Scored, prefix: str) -> bytes:
    """The attributes `<prefix>.<i>.document.{id,score}` of a span."""
    ids, scores = documents
    if len(ids) <= _USUAL_COUNT and None not in scores:
        contents = [identity.encode() for identity in ids]
        sizes = list(map(len, contents))
        if max(sizes, default=0) <= _USUAL_SIZE:
            doubles = map(_DOUBLE, scores)
            id_heads = _id_heads(prefix, sizes)
            return b"".join(chain.from_iterable(zip(id_heads, contents, _score_heads(prefix), doubles, strict=False)))
    return _flattened_one_by_one(documents, prefix)


def _flattened_one_by_one(documents: Scored, prefix: str) -> bytes:
    written: list[bytes] = []
    heads = _heads(prefix, len(documents.ids))
    for (id_head, score_head), identity, score in zip(heads, *documents, strict=False):
        written.append(wire.text_attribute(id_head, identity))
        if score is not None:
            written += (score_head, _DOUBLE(score))
    return b"".join(written)


def documents_json(documents: Scored) -> str:
    """`[{"id": …, "score": …}]`, compact; a score that is not known is null."""
    ids, scores = documents
    is_small = len(ids) <= _USUAL_COUNT and sum(map(len, ids)) <= _USUAL_COUNT * _USUAL_SIZE
    is_kept = is_small and 0.0 not in scores  # which equals -0.0, but is written otherwise
    return _kept_json(tuple(ids), tuple(scores)) if is_kept else _json(ids, scores)


def _json(ids: Sequence[str], scores: Sequence[float | None]) -> str:
    pairs = zip(ids, scores, strict=True)
    parts = [f'{{"id":{quoted(name)},"score":{"null" if score is None else repr(score)}}}' for name, score in pairs]
    return f"[{','.join(parts)}]"


def _texts(ids: Sequence[object]) -> list[str]:
    if _TEXT.issuperset(map(type, ids)) and "".join(ids).isascii():  # type: ignore[arg-type]  # each is a str
        return list(ids)  # type: ignore[arg-type]
    return [wire.utf8(str(identity)).decode() for identity in ids]


def _doubles(scores: Sequence[object]) -> Sequence[float | None]:
    if _FLOAT.issuperset(map(type, scores)) and isfinite(sum(scores)):  # type: ignore[arg-type]  # each is a float
        return scores  # type: ignore[return-value]
    return [as_number(score) for score in scores]


def _heads(prefix: str, count: int) -> list[tuple[bytes, bytes]]:
    """At least `count`; the few sizes that there can be are kept, but not those of a very long list."""
    enough = 1 << count.bit_length()
    return _kept_heads(prefix, enough) if enough <= _LONGEST_KEPT else _kept_heads.__wrapped__(prefix, enough)


@lru_cache(maxsize=64)
def _kept_heads(prefix: str, count: int) -> list[tuple[bytes, bytes]]:
    keys = [(f"{prefix}.{i}.{names.DOCUMENT_ID}", f"{prefix}.{i}.{names.DOCUMENT_SCORE}") for i in range(count)]
    return [(wire.key_head(of_id), wire.double_head(of_score)) for of_id, of_score in keys]


def _id_heads(prefix: str, sizes: Sequence[int]) -> Sequence[bytes]:
    """For each rank the attribute of an id up to the id itself, which takes so many bytes."""
    by_size = {size: _kept_id_heads(prefix, size) for size in set(sizes)}
    if len(by_size) == 1:
        return by_size.popitem()[1]
    return [by_size[size][rank] for rank, size in enumerate(sizes)]


@lru_cache(maxsize=256)
def _kept_id_heads(prefix: str, size: int) -> Sequence[bytes]:
    content = "x" * size
    return [wire.text_attribute(head, content)[: -size or None] for head, _ in _kept_heads(prefix, _USUAL_COUNT)]


@lru_cache(maxsize=16)
def _score_heads(prefix: str) -> Sequence[bytes]:
    return [head for _, head in _kept_heads(prefix, _USUAL_COUNT)]


# What a search finds is what the next stage is given.
_kept_json = lru_cache(maxsize=4)(_json)
