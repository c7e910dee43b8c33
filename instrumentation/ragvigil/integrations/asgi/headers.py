"""What a request's headers say."""

from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from ragvigil.integrations.asgi.protocol import Scope

FromRequest = Callable[[Scope], str | None]
"""Reads something from the ASGI scope of a request; None where it says nothing."""


def values_of(scope: Scope, name: str) -> list[str]:
    """All values of a header, in order; `name` in lower case."""
    wanted = name.encode("latin-1")
    return [value.decode("latin-1") for key, value in scope.get("headers", ()) if key.lower() == wanted]


def header(name: str) -> FromRequest:
    """Reads a header, for example `session_id=header("x-session-id")`; where it comes twice, the first."""
    lowered = name.lower()
    return lambda scope: next(iter(values_of(scope, lowered)), None)


def cookie(name: str) -> FromRequest:
    """Reads a cookie, for example `session_id=cookie("chat")`."""

    def read(scope: Scope) -> str | None:
        try:
            found = SimpleCookie("; ".join(values_of(scope, "cookie"))).get(name)
        except CookieError:
            return None
        return None if found is None else found.value

    return read
