"""An exporter whose bytes can be searched for what must not be in them."""

from collections.abc import Callable

from ragvigil.export.exporter import Delivery, Signal
from ragvigil.testing import InMemoryExporter


class KeepingExporter(InMemoryExporter):
    """Keeps the bytes too."""

    def __init__(self) -> None:
        super().__init__()
        self.payloads: list[bytes] = []

    def export(self, signal: Signal, payload: bytes) -> Delivery:
        """Keep."""
        self.payloads.append(payload)
        return super().export(signal, payload)


Redacting = Callable[..., Callable[[], KeepingExporter]]
"""Configures with these options; returns a function that flushes and gives what came out."""
