"""Watches a RAG system from inside it, at a fraction of the cost of an SDK and without ever hurting it."""

from ragvigil.answers import Answer, current_answer, current_stage, pipeline, token
from ragvigil.attributes import FeedbackKind, FeedbackReason
from ragvigil.counts import BridgeCounts, Counts, FeedbackCounts, ProbeCounts, RedactionCounts, SpoolCounts
from ragvigil.doctor import Finding, diagnosis
from ragvigil.indexes import mark_index
from ragvigil.predicates import Filter, entitlement, relevance, where
from ragvigil.reactions import feedback
from ragvigil.retrievers import retriever
from ragvigil.runtime import configure, counts, flush, shutdown
from ragvigil.stages import Stage, stage
from ragvigil.threads import carry
from ragvigil.version import __version__

__all__ = [
    "Answer",
    "BridgeCounts",
    "Counts",
    "FeedbackCounts",
    "FeedbackKind",
    "FeedbackReason",
    "Filter",
    "Finding",
    "ProbeCounts",
    "RedactionCounts",
    "SpoolCounts",
    "Stage",
    "__version__",
    "carry",
    "configure",
    "counts",
    "current_answer",
    "current_stage",
    "diagnosis",
    "entitlement",
    "feedback",
    "flush",
    "mark_index",
    "pipeline",
    "relevance",
    "retriever",
    "shutdown",
    "stage",
    "token",
    "where",
]
