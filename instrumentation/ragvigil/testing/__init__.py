"""For tests, ours and yours: control over time, ids and failures, and exporters that show what left."""

from ragvigil.testing.control import ManualClock, SequentialIds, strict
from ragvigil.testing.exporter import InMemoryExporter
from ragvigil.testing.receiver import Receiver, Reply, Request, receiving
from ragvigil.testing.recordings import Recording, recording
from ragvigil.testing.snapshots import EventSnapshot, LogSnapshot, SpanSnapshot, describe, read_logs, read_spans

__all__ = [
    "EventSnapshot",
    "InMemoryExporter",
    "LogSnapshot",
    "ManualClock",
    "Receiver",
    "Recording",
    "Reply",
    "Request",
    "SequentialIds",
    "SpanSnapshot",
    "describe",
    "read_logs",
    "read_spans",
    "receiving",
    "recording",
    "strict",
]
