"""What reviewers found of the evidence of one answer, and where each relevant document was last seen."""

from collections.abc import Sequence

from ragvigil_dashboards.exclusion_models import RelevantDocument, ReviewedRetrieval
from ragvigil_dashboards.figures.evidence_words import lost_at_words, reason_words
from ragvigil_dashboards.markup import Markup, foreign, table, tag, together

_LAST_SEEN = {
    "retrieve": "found by the search",
    "rerank": "kept by the reranker",
    "context": "in the context",
    "citation": "cited",
}


def reviewed_evidence(reviewed: Sequence[ReviewedRetrieval]) -> Markup:
    """One part a reviewed retrieval."""
    if not reviewed:
        return tag("p", "No retrieval of this answer has been reviewed.", class_="rv-aside")
    return together(_one(each) for each in reviewed)


def evidence_sentence(retrieval: ReviewedRetrieval) -> str:
    """Where the evidence was lost, or why that is not known."""
    if retrieval.has_evidence is False:
        return f"No relevant document among the {retrieval.shown} that a reviewer was shown."
    if retrieval.lost_at == "kept":
        return "Evidence kept: at least one relevant document is there after the last recorded stage."
    if retrieval.lost_at is not None:
        return f"Evidence lost at: {lost_at_words(retrieval.lost_at)}."
    return (
        f"It is not known where evidence was lost: {reason_words(retrieval.unknown_because or 'no reason recorded')}."
    )


def _one(retrieval: ReviewedRetrieval) -> Markup:
    sentence = tag("p", tag("b", evidence_sentence(retrieval)), _caveat(retrieval))
    if not retrieval.documents:
        return sentence
    rows = ([tag("code", foreign(each.id, longest=120)), _last_seen(each)] for each in retrieval.documents)
    return together([sentence, table(["Relevant document", "Last seen"], rows)])


def _caveat(retrieval: ReviewedRetrieval) -> str | None:
    if retrieval.unknown_because is None or retrieval.lost_at is None:
        return None
    return f" Whether the filter excluded all evidence is not known: {reason_words(retrieval.unknown_because)}."


def _last_seen(document: RelevantDocument) -> str:
    if document.last_seen is None:
        return "only by the search without relevance clauses"
    return _LAST_SEEN.get(document.last_seen, document.last_seen)
