"""HTTP connections that are given up when they say too little or too much.

The server that we use waits without end for the headers of a request, and for the rest of a body that was refused.
"""

import asyncio
from typing import TYPE_CHECKING, Final

import h11
from uvicorn.protocols.http.auto import AutoHTTPProtocol

if TYPE_CHECKING:
    from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

    _Base = H11Protocol
    _Whichever = object
else:
    _Base = object
    _Whichever = AutoHTTPProtocol

HEAD_TIMEOUT_S: Final = 30.0
"""How long a connection may take until the headers of its request, or the rest of a refused body, are there."""
MAX_HEAD_BYTES: Final = 64 << 10
"""Request line and headers together."""
MAX_UNREAD_BYTES: Final = 32 << 20
"""What may come after a body was refused: a sender that is cut off does not read why."""


class Patience(_Base):
    """Put before one of uvicorn's two protocols. `head_timeout_s`: replaced in tests."""

    head_timeout_s = HEAD_TIMEOUT_S
    _unused_bytes = 0
    _giving_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait_for_more()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._wait_no_longer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take some bytes of a request; wait for more of them unless the application has all that it needs."""
        self._unused_bytes += 0 if self._is_answering() else len(data)
        waited_for_head = self._waits_for_head()
        most = MAX_HEAD_BYTES if waited_for_head else MAX_UNREAD_BYTES
        super().data_received(data)
        self._note_end_in_h11()
        if self._is_answering():
            self._unused_bytes = 0
            self._wait_no_longer()
        elif self._waits_for_head() and not waited_for_head:
            self._expect_another()
        elif self._unused_bytes > most:
            self.transport.close()
        else:
            self._wait_for_more()

    def on_message_complete(self) -> None:
        """Called by httptools at the end of a body: note it also where that body was refused."""
        super().on_message_complete()  # type: ignore[misc]  # h11, which the types are of, has no such call
        self._note_end()

    def _note_end_in_h11(self) -> None:
        """The same for h11, which goes on to the next request."""
        connection = getattr(self, "conn", None)
        if connection is not None and connection.their_state is h11.IDLE:
            self._note_end()

    def _note_end(self) -> None:
        if (current := self._current()) is not None:
            current.more_body = False

    def _expect_another(self) -> None:
        """A refused body is over: what came of it is forgotten, and the connection may be idle like any other."""
        self._unused_bytes = 0
        self._wait_no_longer()
        self._giving_up = self.loop.call_later(self.timeout_keep_alive, self.transport.close)

    def _is_answering(self) -> bool:
        current = self._current()
        return current is not None and not current.response_complete

    def _waits_for_head(self) -> bool:
        current = self._current()
        return current is None or (current.response_complete and not current.more_body)

    def _current(self) -> "RequestResponseCycle | None":
        """The request that is being answered, or was last; None before the first, whatever its annotation says."""
        return self.cycle

    def _wait_for_more(self) -> None:
        if self._giving_up is None:
            self._giving_up = self.loop.call_later(self.head_timeout_s, self.transport.close)

    def _wait_no_longer(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None


class PatientProtocol(Patience, _Whichever):
    """One connection, read by httptools where it is installed, else by h11."""
