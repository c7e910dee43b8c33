"""No thread for Ragvigil."""

import threading


class Refusing:
    """A system that has no thread left for Ragvigil until it `is_over`, or an interpreter that is about to end."""

    def __init__(self) -> None:
        self.is_over = False
        self._start = threading.Thread.start

    def start(self, thread: threading.Thread) -> None:
        if thread.name.startswith("ragvigil") and not self.is_over:
            raise RuntimeError("can't start new thread")
        self._start(thread)
