"""Kinds of markers that the code itself tells apart; the others are only shown."""

from typing import Final

RELEASE: Final = "release"
"""A new version of a service."""
MEASUREMENT: Final = "measurement"
"""What a guardrail measures with is new, such as a judge. `service` is that guardrail."""
