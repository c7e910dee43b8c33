"""Which requests are answers, and what their spans are called."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Final, TypeAlias

from ragvigil.integrations.asgi.protocol import Scope

Routes: TypeAlias = Collection[str] | Mapping[str, str] | Callable[[Scope], str | None]
"""Paths, paths with the name of their answers, or a function from the ASGI scope to that name (None: no answer)."""

_NEVER: Final = frozenset({"OPTIONS", "HEAD"})
_PARAMETER: Final = re.compile(r"\{[^{}]*\}")


def named(routes: Routes) -> Callable[[Scope], str | None]:
    """What tells the name of a request's answer; None for a request that is none.

    A path such as `/chats/{id}/ask` matches any one segment in place of `{id}`. Raises ValueError for routes that are
    neither paths nor a function.
    """
    if callable(routes):
        return routes
    if isinstance(routes, str):
        raise ValueError(f"routes: got {routes!r}; expected several paths, for example {{{routes!r}}}")
    names = routes if isinstance(routes, Mapping) else {path: _name_of(path) for path in routes}
    patterns = [(_pattern(path), name) for path, name in names.items()]

    def find(scope: Scope) -> str | None:
        if scope.get("method") in _NEVER:
            return None
        path = _path_below_mount(scope)
        return next((name for pattern, name in patterns if pattern.fullmatch(path)), None)

    return find


def _name_of(path: object) -> str:
    return path.strip("/") if isinstance(path, str) else ""


def _pattern(path: object) -> re.Pattern[str]:
    if not isinstance(path, str) or not path.startswith("/"):
        raise ValueError(f"routes: got {path!r}; expected a path such as '/ask' or '/chats/{{id}}/ask'")
    return re.compile("[^/]+".join([re.escape(part) for part in _PARAMETER.split(path)]))


def _path_below_mount(scope: Scope) -> str:
    """The path as the application's own routes see it."""
    path, root = str(scope.get("path", "")), str(scope.get("root_path", ""))
    return path[len(root) :] if root and path.startswith(f"{root}/") else path
