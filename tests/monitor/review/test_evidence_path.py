"""Which stage lost the evidence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.review.evidence_path import PATH, last_seen, lost_after_retrieval

ALL = frozenset({"a", "b", "x"})
OTHERS = frozenset({"x"})


@pytest.mark.parametrize(
    ("recorded", "lost_at"),
    [
        ({"retrieve": ALL, "rerank": OTHERS, "context": OTHERS, "citation": OTHERS}, "rerank"),
        ({"retrieve": ALL, "rerank": ALL, "context": OTHERS, "citation": OTHERS}, "context"),
        ({"retrieve": ALL, "rerank": ALL, "context": ALL, "citation": OTHERS}, "citation"),
        ({"retrieve": ALL, "rerank": ALL, "context": ALL, "citation": frozenset()}, "citation"),
        ({"retrieve": ALL, "rerank": ALL, "context": ALL, "citation": frozenset({"b"})}, "kept"),
        ({"retrieve": ALL, "citation": OTHERS}, "citation"),
        ({"retrieve": ALL}, "kept"),
        ({"retrieve": OTHERS, "rerank": OTHERS}, None),
        ({"retrieve": ALL, "rerank": OTHERS, "context": ALL, "citation": OTHERS}, "citation"),
    ],
    ids=[
        *("rerank", "context", "citation", "nothing cited", "one is cited"),
        *("stages not recorded", "nothing else recorded", "never found", "another retrieval's rerank"),
    ],
)
def test_the_first_recorded_stage_without_any_relevant_document_lost_them(
    recorded: dict[str, frozenset[str]], lost_at: str | None
) -> None:
    assert lost_after_retrieval({"a", "b"}, recorded) == lost_at


def test_a_document_was_last_seen_where_it_still_was() -> None:
    recorded = {"retrieve": ALL, "context": frozenset({"a"})}
    assert [last_seen(document, recorded) for document in ("a", "b", "c")] == ["context", "retrieve", None]


DOCUMENTS = st.frozensets(st.sampled_from("abc"))


@given(st.dictionaries(st.sampled_from(PATH), DOCUMENTS), st.frozensets(st.sampled_from("abc"), min_size=1))
def test_a_stage_is_blamed_only_if_it_is_recorded_and_neither_it_nor_a_later_one_has_evidence(
    recorded: dict[str, frozenset[str]], relevant: frozenset[str]
) -> None:
    lost_at = lost_after_retrieval(relevant, recorded)
    if lost_at in PATH:
        assert lost_at in recorded
        assert not any(relevant & recorded.get(stage, frozenset()) for stage in PATH[PATH.index(lost_at) :])
    else:
        last = [stage for stage in PATH if stage in recorded][-1:]
        assert (lost_at == "kept") == any(relevant & recorded[stage] for stage in last)
        assert lost_at == "kept" or not any(relevant & documents for documents in recorded.values())
