"""The recorder that new spans go to: set by `configure`, renewed after fork."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragvigil.recorder import Recorder

recorder: "Recorder | None" = None
"""None before `configure`, after `shutdown` and under `OTEL_SDK_DISABLED`: then nothing is recorded."""
