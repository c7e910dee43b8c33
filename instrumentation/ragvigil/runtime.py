"""`configure` and the rest of the life of recording in this process."""

import atexit
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragvigil import attributes as names
from ragvigil import current, settings
from ragvigil.child_end import ChildEnd
from ragvigil.clock import Clock, SystemClock
from ragvigil.counts import Counts
from ragvigil.export.backoff import Backoff
from ragvigil.export.exporter import Exporter
from ragvigil.guard import GUARD
from ragvigil.ids import IdGenerator, RandomIds
from ragvigil.recorder import Recorder
from ragvigil.sampling import Share
from ragvigil.settings import Settings

if TYPE_CHECKING:
    from ragvigil.redaction import Content, Redact

EXIT_TIMEOUT_S = 5.0


def configure(
    *,
    service_name: str | None = None,
    service_version: str | None = None,
    environment: str | None = None,
    revision: str | None = None,
    endpoint: str | None = None,
    headers: Mapping[str, str] | None = None,
    resource: Mapping[str, object] | None = None,
    secret_key: bytes | None = None,
    max_queue_traces: int = 1000,
    max_queue_bytes: int = 64 * 2**20,
    export_interval_s: float = 1.0,
    counts_interval_s: float = 60.0,
    timeout_s: float = 10.0,
    probe_share: float = 0.0,
    probe_timeout_s: float = 10.0,
    max_waiting_probes: int = 20,
    document_texts: bool = False,
    content: "Content" = "full",
    redactors: "Sequence[Redact]" = (),
    bridge: bool = True,
    sample: Share = 1.0,
    spool_dir: str | os.PathLike[str] | None = None,
    max_spool_bytes: int = 256 * 2**20,
    clock: Clock | None = None,
    ids: IdGenerator | None = None,
    exporter: Exporter | None = None,
) -> None:
    """Start recording; called again, it replaces what was configured before.

    Arguments win over the standard variables OTEL_EXPORTER_OTLP_ENDPOINT, _TRACES_ENDPOINT, _LOGS_ENDPOINT, _HEADERS,
    _COMPRESSION, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. OTEL_SDK_DISABLED=true switches everything off.
    `revision` is the commit that runs. From `secret_key` (16 bytes or more, the same in every process) come the keys
    for the HMAC of protected filter values, user ids and hashed content, for answer tokens and for the sample of
    probes; without it values are equal within one process only, and there are no tokens. The queue keeps at most
    `max_queue_traces` traces (feedback counts as one) and `max_queue_bytes` estimated bytes. `timeout_s` bounds one
    attempt.

    `probe_share` in [0, 1] is the share of traces whose filtered searches are done again without relevance clauses, see
    `retriever`; 0 is off. They run in the background, one at a time; one that takes longer than `probe_timeout_s` is
    given up, and at most `max_waiting_probes` wait.

    With `document_texts` the texts of documents that retrievers return and stages name leave the process too, each cut
    at 20,000 characters, so that people can judge them.

    `content` says what leaves in full, `hashed` (a keyed hash: equal contents stay equal) or not at all (`none`): one
    mode for all content, or a mapping of fields, see docs/redaction.md; user ids are hashed unless it says otherwise.
    `redactors` are functions from text to text that every text passes before it leaves, in the background, in this
    order, for example `ragvigil.redaction.common()`. Where one raises, the text is withheld and counted.

    Where the global `TracerProvider` is one of the OpenTelemetry SDK, its span processors get the finished spans that
    are sampled too, within its limits; `bridge=False` keeps them from it.

    `sample` in [0, 1] is the share of traces that are recorded, or a function that gives it for the name of the answer
    (or stage) that begins a trace. It is decided then, by the trace id; what is not recorded costs next to nothing.
    Answers bear the share, so that estimates can weigh them. Feedback is never sampled.

    With `spool_dir` (else RAGVIGIL_SPOOL_DIR) what the receiver does not take is written to files of that directory and
    delivered later: by this process, by another one with the same directory, or by the monitor. The directory holds at
    most `max_spool_bytes` (1 MiB or more); beyond that the oldest file goes, counted. Several processes may share it.

    Raises ValueError for an argument that is not valid. Nothing else in Ragvigil raises into the application.
    """
    from ragvigil.redaction.content import checked_content  # not needed by a process that configures nothing
    from ragvigil.redaction.texts import checked_redactors

    traces_url, logs_url = settings.endpoints(endpoint, os.environ)
    settings.check_limits(
        max_queue_traces=max_queue_traces,
        max_queue_bytes=max_queue_bytes,
        export_interval_s=export_interval_s,
        counts_interval_s=counts_interval_s,
        timeout_s=timeout_s,
        probe_timeout_s=probe_timeout_s,
        max_waiting_probes=max_waiting_probes,
    )
    named = {
        names.SERVICE_NAME: service_name,
        names.SERVICE_VERSION: service_version,
        names.DEPLOYMENT_ENVIRONMENT: environment,
        names.VCS_REVISION: revision,
    }
    chosen = Settings(
        traces_url=traces_url,
        logs_url=logs_url,
        headers=settings.headers_from(headers, os.environ),
        gzip=settings.wants_gzip(os.environ),
        resource=settings.resource_from(named, resource, os.environ),
        secret_key=settings.checked_key(secret_key),
        max_queue_traces=max_queue_traces,
        max_queue_bytes=max_queue_bytes,
        export_interval_s=export_interval_s,
        counts_interval_s=counts_interval_s,
        timeout_s=timeout_s,
        probe_share=settings.checked_share("probe_share", probe_share),
        probe_timeout_s=probe_timeout_s,
        max_waiting_probes=max_waiting_probes,
        document_texts=settings.checked_switch("document_texts", document_texts),
        content=checked_content(content),
        redactors=checked_redactors(redactors),
        bridge=settings.checked_switch("bridge", bridge),
        sample=settings.checked_sample(sample),
        spool_dir=settings.checked_spool_dir(spool_dir, os.environ),
        max_spool_bytes=settings.checked_spool_bytes(max_spool_bytes),
    )
    _install(None if settings.is_disabled(os.environ) else _Parts(chosen, clock, ids, exporter))


def flush(timeout_s: float = 5.0) -> bool:
    """Wait until all that ended before is delivered, in the spool or dropped; False when the time is over first.

    Its probes are included. With a spool directory, what the receiver has not taken after most of the time is on disk.
    """
    recorder = current.recorder
    with GUARD:
        return recorder is None or recorder.flush(timeout_s)
    return False


def shutdown(timeout_s: float = 5.0) -> bool:
    """Flush and stop recording, until `configure` is called again; False when the time was not enough.

    What is not delivered then goes to the spool, if there is one, and is lost otherwise. Where something hangs, it
    takes at most half a second longer than `timeout_s`.
    """
    recorder, current.recorder = current.recorder, None
    _installed.parts = None
    with GUARD:
        return recorder is None or recorder.shutdown(timeout_s)
    return False


def counts() -> Counts:
    """What became of the spans, the feedback and the probes of this process so far."""
    return Counts() if current.recorder is None else current.recorder.counts()


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a recorder is made of, kept to make another one after fork."""

    settings: Settings
    clock: Clock | None
    ids: IdGenerator | None
    exporter: Exporter | None

    def recorder(self) -> Recorder:
        return Recorder(
            self.settings,
            self.clock or SystemClock(),
            self.ids or RandomIds(),
            self.exporter or _http_exporter(self.settings),
            Backoff(),
        )


@dataclass(slots=True)
class _Installed:
    parts: _Parts | None = None


_installed = _Installed()


def _http_exporter(chosen: Settings) -> Exporter:
    from ragvigil.export.http import HttpExporter  # http.client and email cost a third of our import

    return HttpExporter(chosen.traces_url, chosen.logs_url, chosen.headers, chosen.timeout_s, compress=chosen.gzip)


def _install(parts: _Parts | None) -> None:
    shutdown()
    _installed.parts = parts
    current.recorder = None if parts is None else parts.recorder()
    with GUARD:
        _child_end.arm()


def _renew_after_fork() -> None:
    with GUARD:
        if current.recorder is not None and _installed.parts is not None:
            current.recorder.abandon()
            current.recorder = _installed.parts.recorder()
            _child_end.arm()


def _at_exit() -> None:
    shutdown(EXIT_TIMEOUT_S)


_child_end = ChildEnd(_at_exit)
os.register_at_fork(after_in_child=_renew_after_fork)
atexit.register(_at_exit)
