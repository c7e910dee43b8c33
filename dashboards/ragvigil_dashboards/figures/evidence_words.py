"""Stages that lose evidence, and reasons why nobody knows, in words."""

_LOST_AT = {
    "filter": "filter (the relevance clauses keep it out)",
    "retrieve": "retrieve (it passes the filter, but the search did not find it)",
    "rerank": "rerank (the reranker dropped it)",
    "context": "context (it was not put before the model)",
    "citation": "citation (the model saw it and did not cite it)",
}
_REASONS = {
    "not_labelled": "skipped, or in the hands of a reviewer",
    "no_metadata": "the probe says nothing of the metadata of the relevant documents",
    "index_changed": "the index changed between the search and its probe",
    "spans_missing": "the search or its probe is no longer stored",
    "not_all_shown": "a reviewer could not see all documents: too many, or some without a recorded text",
    "filter_unknown": "it is not known which filter was used",
    "filter_probe": "filtered, while review.probe_share was 0",
    "unfiltered": "without relevance clauses, while review.unfiltered_share was 0",
    "not_probed": "outside of the probed share; the probed ones stand for them",
    "probe_failed": "the probe failed",
    "probe_share_unknown": "the probe does not say which share is probed",
    "documents_not_recorded": "the documents were not recorded",
    "texts_not_recorded": "no text of the documents was recorded, so nobody can judge them",
    "documents_not_found": "no document was found at all",
    "answer_without_retrieval": "answers without a retrieval",
    "retrieval_without_answer": "the answer is not stored",
    "probe_without_retrieval": "probes whose search is not stored",
}


def lost_at_words(stage: str) -> str:
    """A stage that lost evidence, and what that means."""
    return _LOST_AT.get(stage, stage)


def reason_words(reason: str) -> str:
    """Why something could not be judged."""
    bare = reason.removeprefix("probed_")
    words = _REASONS.get(bare, bare.replace("_", " "))
    return words if bare == reason else f"{words} (of a probed search)"
