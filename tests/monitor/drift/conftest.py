"""A service whose jobs judge at once."""

from collections.abc import Callable

import pytest

from ragvigil_monitor.service import Service


@pytest.fixture
def drift_service(make_service: Callable[..., Service]) -> Callable[..., Service]:
    """Makes a service without lateness, references of two weeks, and settings of query drift as given."""
    return lambda **drift: make_service(
        schedule={"tick_s": 0, "lateness_s": 0}, guardrails={"query_drift": {"reference_weeks": 2, **drift}}
    )
