"""Names of test cases."""

import re


def stable(value: object) -> str:
    """What a value looks like, without addresses: the same in every process, so that processes can share the tests."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))
