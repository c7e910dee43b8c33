"""What the label of a relevance item means: was there evidence, was all of it filtered out, at which stage was it lost.

The evidence is the relevant documents of the retrieval and of its probe, the same search without relevance clauses.
It is falsely excluded if each of them fails these clauses. That is asked of the document's metadata, not of the list: a
relevant document that passes and is not in the list is a miss of the ranking or of the index, which is counted apart.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ragvigil_monitor.review.evidence_path import FILTER, RETRIEVE, Recorded, lost_after_retrieval


class Unknown(StrEnum):
    """Why it is not known whether evidence was excluded."""

    SPANS_MISSING = "spans_missing"
    INDEX_CHANGED = "index_changed"
    NO_METADATA = "no_metadata"
    NOT_ALL_SHOWN = "not_all_shown"


@dataclass(frozen=True, slots=True)
class Label:
    """What a reviewer said of the documents that they were shown."""

    shown: Set[str]
    relevant: Set[str]


@dataclass(frozen=True, slots=True)
class Search:
    """What one search returned, how deep it looked, and in which build of the index; None where that is not recorded.

    passes: of a probe, whether a document satisfies the relevance clauses that it dropped; None: not known.
    """

    documents: Set[str]
    depth: int | None = None
    index_version: str | None = None
    passes: Mapping[str, bool | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The columns of `relevance_outcomes` that a label decides; None: not known."""

    has_evidence: bool | None
    is_excluded: bool | None
    lost_at: str | None
    unknown_because: Unknown | None
    depth: int | None


_NO_EVIDENCE = Outcome(False, False, None, None, None)


def outcome(
    label: Label, retrieval: Search | None, probe: Search | None, later: Recorded, *, is_filtered: bool
) -> Outcome:
    """Read a label. retrieval, probe: None where the span is not stored. later: stages of the answer after the search.

    is_filtered: the retrieval had relevance clauses, so there was a probe.
    """
    if retrieval is None or (is_filtered and probe is None):
        return Outcome(True, None, None, Unknown.SPANS_MISSING, None) if label.relevant else _NO_EVIDENCE
    found = retrieval.documents | (probe.documents if probe is not None else set())
    depth = (retrieval if probe is None else probe).depth
    if not label.relevant:
        unseen = Outcome(None, None, None, Unknown.NOT_ALL_SHOWN, None)
        return replace(unseen if found - label.shown else _NO_EVIDENCE, depth=depth)
    is_excluded, unknown = _exclusion(label, retrieval, probe, found)
    return Outcome(True, is_excluded, _lost_at(label, retrieval, later, is_excluded), unknown, depth)


def _exclusion(
    label: Label, retrieval: Search, probe: Search | None, found: Set[str]
) -> tuple[bool | None, Unknown | None]:
    if probe is None:
        return False, None
    if label.relevant & retrieval.documents:
        return False, None
    if _differ(retrieval.index_version, probe.index_version):
        return None, Unknown.INDEX_CHANGED
    passing = {probe.passes.get(each) for each in label.relevant}
    if True in passing:
        return False, None
    if None in passing:
        return None, Unknown.NO_METADATA
    return (None, Unknown.NOT_ALL_SHOWN) if found - label.shown else (True, None)


def _differ(one: str | None, other: str | None) -> bool:
    return one is not None and other is not None and one != other


def _lost_at(label: Label, retrieval: Search, later: Recorded, is_excluded: bool | None) -> str | None:
    """The filter only where exclusion is certain; whatever the retrieval did find is followed in any case."""
    lost = lost_after_retrieval(label.relevant, {**later, RETRIEVE: retrieval.documents})
    if lost is None and is_excluded is not None:
        return FILTER if is_excluded else RETRIEVE
    return lost
