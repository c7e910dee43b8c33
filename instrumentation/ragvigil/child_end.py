"""The end of children of `multiprocessing`, which run its finalizers and nothing that `atexit` knows."""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from multiprocessing.util import Finalize

_LAST: Final = -1000
"""Priority of a finalizer that runs when those of queues and pools have."""


class ChildEnd:
    """Calls back at the end of this process where it is a child of `multiprocessing`, and of those that it forks.

    Call `arm` when there is something to end, and in a forked child. Costs nothing where nothing has imported
    `multiprocessing`. A child that is killed or terminated runs nothing.
    """

    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback = callback
        self._is_known = False
        self._finalizer: Finalize | None = None

    def arm(self) -> None:
        """See to it that there is a call at the end of this process, if it is such a child."""
        if "multiprocessing.util" not in sys.modules:
            return
        from multiprocessing import process, util

        if not self._is_known:
            self._is_known = True
            # A child forgets all finalizers when it begins, and then does this.
            util.register_after_fork(self, ChildEnd._arm_child)
        if process.parent_process() is not None:
            self._arm_child()

    def _arm_child(self) -> None:
        from multiprocessing import util

        if self._finalizer is None or not self._finalizer.still_active():
            self._finalizer = util.Finalize(None, self._callback, exitpriority=_LAST)
