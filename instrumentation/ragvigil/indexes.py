"""Which index this process searches, said once for all retrievals."""

from datetime import datetime

from ragvigil import current
from ragvigil.guard import GUARD


def mark_index(
    version: str | None, *, committed_at: datetime | None = None, embedding_version: str | None = None
) -> None:
    """From now on, answers search this build of the index; call it at the start and whenever the index is exchanged.

    A new version stands as a marker beside the alerts that follow. `committed_at` is when its newest document was
    committed, with a time zone; `embedding_version` names its encoder. An answer keeps what was said when it began. A
    stage `retrieve` that is told an `index_version` of its own takes nothing from here. None ends it.
    """
    if version is None:
        current.index = None
    elif _is_text(version):
        said = {"index_version": version, "index_committed_at": committed_at, "embedding_version": embedding_version}
        current.index = tuple([(field, fact) for field, fact in said.items() if fact is not None])
    else:
        GUARD.report("an index is not marked: expected its version as text")


def _is_text(version: object) -> bool:
    return isinstance(version, str) and bool(version)
