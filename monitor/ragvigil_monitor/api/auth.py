"""Who may call a route: `Depends(require(Role.ONCALL))`.

All of it is asynchronous though nothing waits: what is not costs every request a turn of a thread.
"""

from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Annotated

from fastapi import Depends, HTTPException, Request

from ragvigil_monitor.keys import Role
from ragvigil_monitor.service import Service


async def service_of(request: Request) -> Service:
    """The service behind the application."""
    service: Service = request.app.state.service
    return service


ServiceDep = Annotated[Service, Depends(service_of)]


async def presented_role(request: Request, service: ServiceDep) -> Role | None:
    """The role of the bearer key in the request; None without a key, 401 for an unknown one."""
    scheme, _, key = request.headers.get("authorization", "").partition(" ")
    if not scheme:
        return None
    role = service.keys.role_of(key.strip()) if scheme.lower() == "bearer" else None
    if role is None:
        raise HTTPException(401, "The key is not known here; send `Authorization: Bearer <key>`.")
    return role


RoleDep = Annotated[Role | None, Depends(presented_role)]


def require(*allowed: Role) -> Callable[[RoleDep], Awaitable[Role]]:
    """A dependency that lets the allowed roles and admin pass: 401 without a key, 403 with another role's."""

    async def check(role: RoleDep) -> Role:
        if role is None:
            raise HTTPException(401, f"This needs the key of {_any_of(allowed)}: `Authorization: Bearer <key>`.")
        if role is not Role.ADMIN and role not in allowed:
            raise HTTPException(403, f"{_named(role)} may not do this; it needs the key of {_any_of(allowed)}.")
        return role

    return check


async def may_ingest(request: Request, role: RoleDep) -> None:
    """Let telemetry in with an ingest key, or without any key from loopback."""
    if role in {Role.INGEST, Role.ADMIN} or (role is None and _is_loopback(request)):
        return
    if role is None:
        raise HTTPException(401, "Sending telemetry from another machine needs the ingest key.")
    right = "send the ingest key" + (", or none from this machine" if _is_loopback(request) else "")
    raise HTTPException(403, f"This is the {role} key; {right}.")


def _named(role: Role) -> str:
    return f"{'A' if role is Role.REVIEWER else 'An'} {role} key"


def _any_of(roles: tuple[Role, ...]) -> str:
    return " or ".join([*dict.fromkeys([*roles, Role.ADMIN])])


def _is_loopback(request: Request) -> bool:
    try:
        return request.client is not None and ip_address(request.client.host).is_loopback
    except ValueError:
        return False
