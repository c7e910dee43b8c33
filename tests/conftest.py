"""What all tests share."""

from hypothesis import settings

# A deadline per example is a wall time: it fails on a busy machine and proves nothing on an idle one.
settings.register_profile("ragvigil", deadline=None)
settings.load_profile("ragvigil")
