"""Writer and reader of the same files are killed again and again: what is complete in the files is stored, once."""

from pathlib import Path

import pytest
from tests.samples.killed_collectors import kill_both

ROUNDS = 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_every_complete_line_is_stored_once(tmp_path: Path, seed: int) -> None:
    after = kill_both(ROUNDS, seed, tmp_path)
    assert len(after.written) > ROUNDS
    assert sorted(after.stored) == sorted(after.written)
    assert after.spans == 6 * len(after.written)
    assert after.duplicates == 0
