"""Whether the test trace, and what the application sends, is in the monitor's store."""

import time
from collections.abc import Iterator
from typing import Final
from urllib.parse import quote

from ragvigil.doctor.finding import Finding, ok, problem, warning
from ragvigil.doctor.monitor_api import NEEDS_KEY, MonitorApi, RefusedError, mapping, number, rows
from ragvigil.doctor.sending import MarkedTrace
from ragvigil.doctor.telling import check_completeness, check_service

_POLL_S: Final = 0.2


def check_monitor(api: MonitorApi, has_key: bool, trace: MarkedTrace | None, service: str | None) -> Iterator[Finding]:
    """Whether a monitor is there, the test trace arrived, and what `service` (or every service) sends is complete."""
    try:
        if not api.is_ragvigil():
            detail = f"what answers at {api.shown} is no Ragvigil monitor (a Collector, Phoenix, another server?)"
            yield problem("monitor", detail, "correct the endpoint, or pass --api where a Collector lies between")
            return
        yield ok("monitor", f"answers at {api.shown}")
        if not has_key:
            yield warning("arrival", "is not checked without an API key", NEEDS_KEY)
            return
        if trace is not None:
            yield _arrival(api, trace)
        yield from _all(api, service)
    except RefusedError as refused:
        yield refused.finding


def _arrival(api: MonitorApi, trace: MarkedTrace) -> Finding:
    deadline, path = time.monotonic() + api.timeout_s, f"/arrivals/{trace.trace_id.hex()}"
    while True:
        if number(mapping(api.get(path)), "spans"):
            return ok("arrival", "the test trace is in the store")
        if time.monotonic() >= deadline:
            break
        time.sleep(_POLL_S)
    advice = "this may be another monitor than the one that took it: compare --api and the endpoint"
    return problem("arrival", f"the test trace was accepted and is not there after {api.timeout_s:g} s", advice)


def _all(api: MonitorApi, service: str | None) -> Iterator[Finding]:
    query = "" if service is None else f"?service={quote(service, safe='')}"
    told = rows(api.get(f"/instrumentation{query}"))
    yield from check_completeness(rows(api.get("/completeness")), service)
    if not told:
        yield warning(
            f"service {service}" if service else "services",
            "nothing arrived in the last 24 h",
            "let the application answer a question; print ragvigil.diagnosis() in it",
        )
    for row in told:
        yield from check_service(row)
    for trouble in rows(mapping(api.get("/status")).get("problems")):
        yield warning("monitor", f"{trouble.get('part')}: {trouble.get('detail')}", "look into the on-call page")
