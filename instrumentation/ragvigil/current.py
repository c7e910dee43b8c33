"""The recorder that new spans go to, set by `configure` and renewed after fork, and the index that they search."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragvigil.recorder import Recorder

recorder: "Recorder | None" = None
"""None before `configure`, after `shutdown` and under `OTEL_SDK_DISABLED`: then nothing is recorded."""
index: tuple[tuple[str, object], ...] | None = None
"""What `mark_index` said: facts of every retrieval that says nothing of its index."""
