"""What became of everything that the process began: spans, feedback, probes."""

import itertools
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

FeedbackOutcome: TypeAlias = Literal["given", "sent", "spooled", "dropped", "refused", "tokens_without_key"]
BridgeOutcome: TypeAlias = Literal["given", "dropped", "failed"]
ProbeOutcome: TypeAlias = Literal["sampled", "run", "failed", "timed_out", "dropped", "unsupported"]
RedactionOutcome: TypeAlias = Literal["changed", "cut", "withheld"]
SpoolOutcome: TypeAlias = Literal["delivered", "refused", "evicted", "corrupt", "failed"]


@dataclass(frozen=True, slots=True)
class FeedbackCounts:
    """Cumulative numbers of feedback events of one process.

    Of those `given`, some are `sent` (acknowledged), some `spooled` (on disk instead), some `dropped` (queue full,
    receiver refused), the rest waits.
    `refused` were not taken: the call was not valid. `tokens_without_key` were asked for without a secret key.
    """

    given: int = 0
    sent: int = 0
    spooled: int = 0
    dropped: int = 0
    refused: int = 0
    tokens_without_key: int = 0


@dataclass(frozen=True, slots=True)
class ProbeCounts:
    """Cumulative numbers of probes of one process.

    Of the searches that were `sampled`, each is searched again (`run`), or the search `failed` or `timed_out`, or it
    was `dropped` (too many wait), or `unsupported` (its request cannot be relaxed), or it waits.
    """

    sampled: int = 0
    run: int = 0
    failed: int = 0
    timed_out: int = 0
    dropped: int = 0
    unsupported: int = 0


@dataclass(frozen=True, slots=True)
class RedactionCounts:
    """Cumulative numbers of texts of one process that left otherwise than they were recorded.

    `changed` by a redactor; `cut` because they were longer than redactors are given; `withheld`, with nothing in their
    place, because a redactor failed. What `configure(content=...)` leaves out on purpose is not counted.
    """

    changed: int = 0
    cut: int = 0
    withheld: int = 0


@dataclass(frozen=True, slots=True)
class BridgeCounts:
    """Cumulative numbers of sampled spans for the application's own `TracerProvider`.

    They were `given` to its span processors, or `dropped` (too many wait), or a processor `failed`, or they wait.
    """

    given: int = 0
    dropped: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class SpoolCounts:
    """What this process did with the files of its spool directory, also with those of other processes.

    `delivered` and `evicted` (the limit was reached) count frames, each a whole trace or one request of feedback or
    counters; `refused` counts spans and feedback that the receiver did not take from a file; `corrupt` files that
    were damaged and kept aside; `failed` attempts to write or read.
    """

    delivered: int = 0
    refused: int = 0
    evicted: int = 0
    corrupt: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Counts:
    """Cumulative numbers of spans of one process: `started` = `exported` + `spooled` + `dropped` + those that wait.

    `exported`: acknowledged by a receiver. `spooled`: written to disk instead, from where this or another process or
    the monitor delivers them; they stay counted here. `dropped`: lost, also those that this process lost on disk. What
    another process lost of them, because it deleted the file for its limit or had it refused by the receiver, nobody
    tells this one: it stays `spooled` here and is in the other's `spool.evicted` or `spool.refused`.
    `left_out` are traces of which nothing was begun, because the sample left them out.
    """

    started: int = 0
    exported: int = 0
    spooled: int = 0
    dropped: int = 0
    left_out: int = 0
    feedback: FeedbackCounts = field(default_factory=FeedbackCounts)
    probes: ProbeCounts = field(default_factory=ProbeCounts)
    redaction: RedactionCounts = field(default_factory=RedactionCounts)
    bridge: BridgeCounts = field(default_factory=BridgeCounts)
    spool: SpoolCounts = field(default_factory=SpoolCounts)


class Counters:
    """The counters behind `Counts`; safe in threads and in finalizers, hence the reentrant lock."""

    __slots__ = (
        "_bridge",
        "_dropped",
        "_exported",
        "_feedback",
        "_left_out",
        "_lock",
        "_probes",
        "_reads",
        "_redaction",
        "_spool",
        "_spooled",
        "add_started",
    )

    def __init__(self) -> None:
        # Counts a start in one step of C, without the lock; to read it is to count too, so reads are subtracted.
        self.add_started = itertools.count().__next__
        self._reads = 0
        self._lock = threading.RLock()
        self._exported = 0
        self._spooled = 0
        self._dropped = 0
        self._left_out = 0
        self._feedback: Counter[str] = Counter()
        self._probes: Counter[str] = Counter()
        self._redaction: Counter[str] = Counter()
        self._bridge: Counter[str] = Counter()
        self._spool: Counter[str] = Counter()

    def add_exported(self, spans: int) -> None:
        """A receiver acknowledged `spans` more."""
        with self._lock:
            self._exported += spans

    def add_spooled(self, spans: int) -> None:
        """`spans` more are on disk."""
        with self._lock:
            self._spooled += spans

    def lose_spooled(self, spans: int, feedback: int) -> None:
        """So many spans and feedback events are lost that were on disk."""
        with self._lock:
            self._spooled -= spans
            self._dropped += spans
            self._feedback["spooled"] -= feedback
            self._feedback["dropped"] += feedback

    def add_dropped(self, spans: int) -> None:
        """`spans` more are lost."""
        with self._lock:
            self._dropped += spans

    def add_left_out(self) -> None:
        """The sample left out one more trace."""
        with self._lock:
            self._left_out += 1

    def add_feedback(self, outcome: FeedbackOutcome, events: int = 1) -> None:
        """So became of `events` more feedback events."""
        with self._lock:
            self._feedback[outcome] += events

    def add_probe(self, outcome: ProbeOutcome) -> None:
        """So became of one more probe."""
        with self._lock:
            self._probes[outcome] += 1

    def add_redaction(self, outcome: RedactionOutcome) -> None:
        """So became of one more text."""
        with self._lock:
            self._redaction[outcome] += 1

    def add_bridge(self, outcome: BridgeOutcome, spans: int) -> None:
        """So became of `spans` more spans for the application's own provider."""
        with self._lock:
            self._bridge[outcome] += spans

    def add_spool(self, outcome: SpoolOutcome, items: int = 1) -> None:
        """So became of so many frames or files of the spool directory."""
        with self._lock:
            self._spool[outcome] += items

    def read(self) -> Counts:
        """The numbers now."""
        with self._lock:
            started = self.add_started() - self._reads
            self._reads += 1
            return Counts(
                started=started,
                exported=self._exported,
                spooled=self._spooled,
                dropped=self._dropped,
                left_out=self._left_out,
                feedback=FeedbackCounts(**self._feedback),
                probes=ProbeCounts(**self._probes),
                redaction=RedactionCounts(**self._redaction),
                bridge=BridgeCounts(**self._bridge),
                spool=SpoolCounts(**self._spool),
            )
