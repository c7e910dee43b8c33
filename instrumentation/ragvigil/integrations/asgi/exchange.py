"""One request and its response, watched as their messages pass."""

from asyncio import CancelledError
from collections.abc import Iterator, Mapping

from opentelemetry.trace import StatusCode

from ragvigil import attributes as names
from ragvigil.answers import Answer
from ragvigil.guard import GUARD
from ragvigil.integrations.asgi.headers import FromRequest
from ragvigil.integrations.asgi.protocol import Message, Receive, Scope, Send


class Exchange:
    """Ends `answer` with the last byte of the body, and records what became of it if that never comes.

    Messages pass as they are, except that the response's headers get the answer token, in a copy: an application may
    send the same message to others too.
    """

    def __init__(
        self,
        answer: Answer,
        scope: Scope,
        receive: Receive,
        send: Send,
        token_header: bytes | None,
        readers: Mapping[str, FromRequest | None],
    ) -> None:
        self._scope = scope
        self._answer = answer
        self._receive = receive
        self._send = send
        self._token_header = token_header
        self._readers = readers
        self._is_complete = False
        self._is_disconnected = False

    async def receive(self) -> Message:
        """Pass a message of the client on, and notice when it leaves."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._is_disconnected = True
        return message

    async def send(self, message: Message) -> None:
        """Pass a message to the client on."""
        passed = message = _with_lasting_headers(message)
        with GUARD:
            passed = self._before(message)
        try:
            await self._send(passed)
        except OSError:
            self._is_disconnected = True
            raise
        if _is_last(message):
            self._complete()

    def finish(self, failure: BaseException | None) -> None:
        """The application is done with the request, by `failure` or in peace."""
        if self._is_complete:
            return
        with GUARD:
            self._read_request()
            if isinstance(failure, Exception) and not self._is_disconnected:
                self._answer.fail(failure)
            else:
                self._cancel()
        self._complete()

    def _before(self, message: Message) -> Message:
        """Record what a message says; returns the one to pass on."""
        if message["type"] == "http.response.start":
            return self._start(message)
        if _is_last(message):
            if self._is_disconnected:
                self._cancel()
        elif message.get("body"):
            self._answer.first_token()
        return message

    def _cancel(self) -> None:
        why = "the client disconnected" if self._is_disconnected else "the response was not completed"
        self._answer.fail(CancelledError(why))

    def _start(self, message: Message) -> Message:
        status = message["status"]
        self._answer.set_attribute(names.HTTP_STATUS_CODE, status)
        if status >= 500:
            self._answer.set_status(StatusCode.ERROR, f"HTTP {status}")
        self._read_request()
        self._answer.is_withdrawn = 300 <= status < 500 and self._answer.fields.get("question") is None
        return message if self._answer.is_withdrawn else self._with_token(message)

    def _read_request(self) -> None:
        fields = self._answer.fields
        for field, read in self._readers.items():
            if read is not None and fields.get(field) is None:
                with GUARD:
                    fields[field] = read(self._scope)
        self._readers = {}

    def _with_token(self, message: Message) -> Message:
        headers = list(message.get("headers", ()))
        name = self._token_header
        token = None if name is None or any(key.lower() == name for key, _ in headers) else self._answer.token()
        if name is None or token is None:
            return message
        return {**message, "headers": [*headers, (name, token.encode("ascii"))]}

    def _complete(self) -> None:
        self._is_complete = True
        self._answer.end()


def _with_lasting_headers(message: Message) -> Message:
    """The message with headers that are still there once they were looked at.

    Raises what an iterator of the application raises.
    """
    headers = message.get("headers")
    return {**message, "headers": list(headers)} if isinstance(headers, Iterator) else message


def _is_last(message: Message) -> bool:
    if message["type"] == "http.response.body":
        return not message.get("more_body", False)
    return bool(message["type"] == "http.response.pathsend")
