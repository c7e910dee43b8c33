"""`kill -9` of an app at random moments: whatever a flush has confirmed is in the monitor's store, once."""

from pathlib import Path

import pytest
from tests.samples.killed_apps import STATES, ReceiverState, kill_apps

KILLS = 10
SPANS_PER_ANSWER = 2


@pytest.mark.slow
@pytest.mark.parametrize("state", STATES)
def test_a_kill_loses_nothing_that_was_confirmed(tmp_path: Path, state: ReceiverState) -> None:
    after = kill_apps(state, KILLS, seed=4, folder=tmp_path)
    assert len(after.confirmed) > KILLS
    assert not after.lost
    assert len(after.stored) == len(set(after.stored))
    assert after.spans == SPANS_PER_ANSWER * len(after.stored)
