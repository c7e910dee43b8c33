"""Derived keys: the published vector, and no two purposes with one key."""

import pytest

from ragvigil import keys
from ragvigil.keys import derived_key


def test_the_published_vector() -> None:
    """RFC 5869, test case 3 (no salt, no info), the first block."""
    expected = "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d"
    assert derived_key(b"\x0b" * 22, "").hex() == expected


@pytest.mark.parametrize("secret", [b"k" * 16, b"", bytes(1000)], ids=["usual", "empty", "long"])
def test_every_purpose_has_a_key_of_its_own(secret: bytes) -> None:
    purposes = [keys.FILTER_VALUES, keys.ANSWER_TOKENS, keys.PROBE_SAMPLE, keys.CONTENT]
    derived = {derived_key(secret, purpose) for purpose in purposes}
    assert len(derived | {secret}) == 5
    assert {len(key) for key in derived} == {32}
