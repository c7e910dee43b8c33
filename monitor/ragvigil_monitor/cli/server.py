"""The running service: everything opened in order, and closed in reverse on SIGTERM or SIGINT."""

import errno
import logging
import signal
import socket
from contextlib import ExitStack
from functools import partial
from types import FrameType
from typing import NoReturn

import uvicorn

from ragvigil_monitor.api.app import create_app
from ragvigil_monitor.backup.serving import remove_leftovers
from ragvigil_monitor.cli.http_protocol import PatientProtocol
from ragvigil_monitor.cli.light_arrow import leave_pandas_alone
from ragvigil_monitor.cli.private_files import keep_from_others
from ragvigil_monitor.errors import ConfigurationError, StoreError
from ragvigil_monitor.keys import Keys, keys_path
from ragvigil_monitor.own_metrics import OwnMetrics
from ragvigil_monitor.phoenix.counting import write_counts
from ragvigil_monitor.phoenix.forwarder import Forwarder, open_forwarder
from ragvigil_monitor.receiver.commit import Committer
from ragvigil_monitor.receiver.files.collector import open_collector_reader
from ragvigil_monitor.receiver.spool import open_spool_reader
from ragvigil_monitor.schedule import Ticker
from ragvigil_monitor.service import LatestTime, Service, utc_now
from ragvigil_monitor.settings import Server, Settings
from ragvigil_monitor.settings.service import StoreSettings
from ragvigil_monitor.store import Store
from ragvigil_monitor.store.disk import Limits
from ragvigil_monitor.store.holder import noted, noted_holder

logger = logging.getLogger(__name__)

_BACKLOG = 2048
_STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT)


def serve(settings: Settings) -> None:
    """Serve until a stop signal; raises MonitorError when the port, the store or the keys cannot be used."""
    _stop_in_order()
    keep_from_others(settings.store.path)
    with ExitStack() as opened:
        listener = opened.enter_context(_listener(settings))
        service = open_service(settings, opened)
        opened.enter_context(noted(settings.store.path, address_of(listener), utc_now()))
        print(announcement(listener, settings), flush=True)
        _http_server(service).run(sockets=[listener])


def open_service(settings: Settings, opened: ExitStack) -> Service:
    """Open store, keys, committer, ticker and the readers of files; `opened` closes them."""
    leave_pandas_alone()
    path = settings.store.path
    store = _store(settings.store)
    opened.callback(store.close)
    keys = Keys.read_or_create(keys_path(path))
    waiting = settings.server.max_waiting_requests
    metrics = OwnMetrics()
    committer = opened.enter_context(
        Committer(store, clock=utc_now, max_waiting=waiting, observe_s=partial(_observe_commit, store, metrics))
    )
    forwarder = _forwarder(settings, store, opened)
    latest = LatestTime.stored(store)
    service = Service(store, settings, keys, committer, forwarder=forwarder, metrics=metrics, latest=latest)
    remove_leftovers(service)
    opened.enter_context(Ticker(service))
    for reader in (open_spool_reader(service), open_collector_reader(service)):
        if reader is not None:
            opened.enter_context(reader)
    return service


def _store(settings: StoreSettings) -> Store:
    limits = Limits(settings.stop_free_bytes, settings.warn_free_bytes)
    return Store.open(settings.path, memory_limit=settings.memory_limit, threads=settings.threads, limits=limits)


def _observe_commit(store: Store, metrics: OwnMetrics, took_s: float) -> None:
    metrics.commit_s.observe(took_s)
    store.disk.stored_telemetry()


def _forwarder(settings: Settings, store: Store, opened: ExitStack) -> Forwarder | None:
    """The way to Phoenix, if there is one; when it is closed, its last counts are written down."""
    forwarder = open_forwarder(settings.phoenix, utc_now)
    if forwarder is not None:
        opened.callback(_write_last_counts, store, forwarder)
        opened.enter_context(forwarder)
    return forwarder


def _write_last_counts(store: Store, forwarder: Forwarder) -> None:
    try:
        with store.transaction() as writer:
            write_counts(writer, forwarder, utc_now())
    except StoreError:
        logger.exception("What became of the last spans for Phoenix could not be written down.")


def _listener(settings: Settings) -> socket.socket:
    """The socket; where it cannot be had, and a service says that it serves the same database there, that is told."""
    try:
        return listening_socket(settings.server)
    except ConfigurationError as failure:
        note = noted_holder(settings.store.path)
        if note is None or not note.address.endswith(f":{settings.server.port}"):
            raise
        raise ConfigurationError(f"{failure} A note beside {settings.store.path} names {note}.") from failure


def listening_socket(server: Server) -> socket.socket:
    """A socket that listens already; ConfigurationError when the address cannot be used."""
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    # asyncio switches Nagle's algorithm off only for sockets that name TCP; with it each answer waits 40 ms.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((server.host, server.port))
        listener.listen(_BACKLOG)
    except OSError as failure:
        listener.close()
        reason = "it is in use" if failure.errno == errno.EADDRINUSE else str(failure)
        raise ConfigurationError(
            f"Cannot listen on {server.host} port {server.port}: {reason}. Choose another with --host and --port."
        ) from failure
    return listener


def announcement(listener: socket.socket, settings: Settings) -> str:
    """The line that says where the service is and where its keys lie."""
    path = settings.store.path
    return f"Ragvigil serves {address_of(listener)} from {path}; the API keys are in {keys_path(path)}"


def address_of(listener: socket.socket) -> str:
    """Where a socket listens, as a URL."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _http_server(service: Service) -> uvicorn.Server:
    config = uvicorn.Config(
        create_app(service),
        http=PatientProtocol,
        log_level="warning",
        access_log=False,
        # Exporters send every few seconds over one connection; it must outlive their pause.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=10,
    )
    return uvicorn.Server(config)


def _stop_in_order() -> None:
    # uvicorn stops on these signals and raises them once more; then the context managers close what is open.
    for number in _STOP_SIGNALS:
        signal.signal(number, _leave)


def _leave(_number: int, _frame: FrameType | None) -> NoReturn:
    for number in _STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    raise SystemExit(0)
