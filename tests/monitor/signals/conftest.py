"""A look of one window over the synthetic traffic."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.signal import Look, Window
from ragvigil_monitor.store import Store


@pytest.fixture
def look(memory_store: Store, monday: datetime) -> Callable[[int, int], Look]:
    """The look over the `length_h` hours that end `end_h` hours after Monday, at alpha = .001."""

    def at(end_h: int = 24, length_h: int = 24) -> Look:
        window = Window(monday + timedelta(hours=end_h), length_h * 3600)
        return Look(memory_store, window, Settings.load(), alpha=0.001)

    return at
