"""Versions and adapters."""

from importlib.util import find_spec

from ragvigil.doctor.adapters import ADAPTERS, PACKAGE
from ragvigil.doctor.installed import check_installed


def test_versions_are_told() -> None:
    told = {finding.check: finding.detail for finding in check_installed()}
    assert told["version"].startswith("ragvigil 0.")
    assert "opentelemetry-sdk 1." in told["packages"]
    assert "asgi (starlette 1." in told["adapters"]


def test_adapters_are_told_where_they_and_their_library_are_there() -> None:
    told = {finding.check: finding.detail for finding in check_installed()}["adapters"]
    there = {name for name in ADAPTERS if find_spec(PACKAGE + name) is not None}
    assert {name for name in ADAPTERS if f"{name} (" in told} == there
    assert "asgi" in there
