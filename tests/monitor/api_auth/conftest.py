"""A running service and its keys."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.samples.servers import running_api

from ragvigil_monitor.service import Service


@pytest.fixture
def service(make_service: Any) -> Service:
    made: Service = make_service()
    return made


@pytest.fixture
def client(service: Service) -> Iterator[httpx.Client]:
    """A client without a key, on the same machine."""
    with running_api(service) as url, httpx.Client(base_url=url, timeout=30) as connected:
        yield connected
