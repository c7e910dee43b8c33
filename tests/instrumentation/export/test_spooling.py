"""With a spool directory: to files while the receiver is away, from them when it is back, everything counted."""

import os
import shutil
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil.counts import FeedbackCounts
from ragvigil.encoding.spans import SpanEncoder
from ragvigil.span import RecordedSpan
from ragvigil.spool.claim import claim
from ragvigil.testing import InMemoryExporter, Receiver, Reply, receiving

WaitFor = Callable[[Callable[[], object]], None]
SECRET = b"a secret of the app"


def ask(name: str = "ask", stages: int = 1) -> str:
    with ragvigil.pipeline(name) as answer:
        for _ in range(stages):
            with ragvigil.stage("retrieve"):
                pass
    return answer.id


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def files(directory: Path) -> list[str]:
    return sorted(file.name for file in directory.iterdir()) if directory.exists() else []


def is_consistent() -> bool:
    """Whether every span that has ended has exactly one outcome."""
    counts = ragvigil.counts()
    return counts.started == counts.exported + counts.spooled + counts.dropped


def frames_in(directory: Path) -> int:
    found = 0
    for file in directory.glob("*.spool"):
        taken = claim(file)
        assert taken is not None
        with taken:
            found += len(list(taken.frames()))
    return found


@pytest.fixture
def away(tmp_path: Path, lenient: None) -> Path:
    """A spool directory, and a receiver that is not there."""
    directory = tmp_path / "spool"
    ragvigil.configure(endpoint=f"http://127.0.0.1:{unused_port()}", secret_key=SECRET, spool_dir=directory)
    return directory


@contextmanager
def swallowing() -> Iterator[str]:
    """An address that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}"


def test_flush_means_on_disk_while_the_receiver_is_away(away: Path) -> None:
    ask(stages=2)
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts(started=3, spooled=3)
    assert len(files(away)) == 1


def test_one_frame_is_one_whole_trace(away: Path) -> None:
    for number in range(3):
        ask(f"ask {number}", stages=4)
    assert ragvigil.shutdown()
    assert frames_in(away) == 4  # and one of counters


def test_feedback_goes_the_same_way(tmp_path: Path, lenient: None, wait_for: WaitFor) -> None:
    port = unused_port()
    ragvigil.configure(endpoint=f"http://127.0.0.1:{port}", secret_key=SECRET, spool_dir=tmp_path)
    with ragvigil.pipeline("ask") as answer:
        pass
    ragvigil.feedback("thumbs_down", answer=answer, feedback_id="f-1")
    assert ragvigil.flush()
    assert ragvigil.counts().feedback == FeedbackCounts(given=1, spooled=1)
    with receiving(port) as back:
        wait_for(lambda: any(names.FEEDBACK_ID in log.attributes for log in back.logs))
        ragvigil.shutdown()


def test_it_is_delivered_when_the_receiver_is_back(tmp_path: Path, lenient: None, wait_for: WaitFor) -> None:
    port = unused_port()
    ragvigil.configure(endpoint=f"http://127.0.0.1:{port}", spool_dir=tmp_path, export_interval_s=0.05)
    spooled = {ask("while away"), ask("while away")}
    assert ragvigil.flush()
    with receiving(port) as back:
        wait_for(lambda: spooled <= {span.attributes.get(names.ANSWER_ID) for span in back.spans})
        wait_for(lambda: files(tmp_path) == [])
        fresh = ask("when back")
        assert ragvigil.flush()
        assert fresh in {span.attributes.get(names.ANSWER_ID) for span in back.spans}
        assert len(back.spans) == 6
        assert ragvigil.counts().spooled == 4
        assert ragvigil.counts().exported == 2
        reported = [(log.attributes[names.SPANS_SPOOLED], log.attributes[names.SPANS_EXPORTED]) for log in back.logs]
        assert reported[-1] == (4, 2)
        ragvigil.shutdown()


def test_another_process_delivers_what_was_left(away: Path, receiver: Receiver, wait_for: WaitFor) -> None:
    left = ask()
    ragvigil.shutdown()
    ragvigil.configure(endpoint=receiver.endpoint, spool_dir=away)
    assert ragvigil.flush()
    wait_for(lambda: files(away) == [])
    assert left in {span.attributes.get(names.ANSWER_ID) for span in receiver.spans}
    assert ragvigil.counts().spooled == 0
    assert ragvigil.counts().spool.delivered == 2


def test_a_spool_of_other_kinds_is_delivered_as_large_requests(
    away: Path, receiver: Receiver, wait_for: WaitFor
) -> None:
    for _ in range(50):
        ask()
    ragvigil.shutdown()
    ragvigil.configure(endpoint=receiver.endpoint, spool_dir=away)
    assert ragvigil.flush()
    wait_for(lambda: files(away) == [])
    assert len(receiver.to("/v1/traces")) == 1
    assert len({span.trace_id for span in receiver.spans}) == 50


def test_what_waits_at_the_end_is_written_even_without_time(tmp_path: Path, lenient: None) -> None:
    with swallowing() as endpoint:
        ragvigil.configure(endpoint=endpoint, spool_dir=tmp_path, export_interval_s=3600)
        for _ in range(20):
            ask()
        ragvigil.shutdown(timeout_s=0.01)
    assert frames_in(tmp_path) >= 20


def test_a_receiver_that_hangs_does_not_hold_up_a_flush(tmp_path: Path, lenient: None) -> None:
    with swallowing() as endpoint:
        ragvigil.configure(endpoint=endpoint, spool_dir=tmp_path, timeout_s=60)
        ask()
        began = time.monotonic()
        assert ragvigil.flush(timeout_s=1)
        ask()
        assert ragvigil.flush(timeout_s=5)
        assert time.monotonic() - began < 5
        assert ragvigil.counts().spooled == 4
        ragvigil.shutdown()


def test_a_receiver_that_hangs_loses_nothing_of_a_steady_load(tmp_path: Path, lenient: None) -> None:
    with swallowing() as endpoint:
        ragvigil.configure(endpoint=endpoint, spool_dir=tmp_path, timeout_s=60)
        for _ in range(1500):
            ask()
            time.sleep(0.001)
        assert ragvigil.flush(timeout_s=20)
        assert ragvigil.counts() == ragvigil.Counts(started=3000, spooled=3000)
        ragvigil.shutdown()


def test_a_receiver_that_answers_is_given_the_time_it_needs(receiver: Receiver, tmp_path: Path) -> None:
    ragvigil.configure(endpoint=receiver.endpoint, spool_dir=tmp_path)
    receiver.released.clear()
    ask()
    threading.Timer(0.3, receiver.released.set).start()
    assert ragvigil.flush(timeout_s=20)
    assert ragvigil.counts() == ragvigil.Counts(started=2, exported=2)
    assert files(tmp_path) == []


def test_what_the_receiver_refuses_is_lost_at_once(receiver: Receiver, tmp_path: Path, lenient: None) -> None:
    receiver.answers = [Reply(400)]
    ragvigil.configure(endpoint=receiver.endpoint, spool_dir=tmp_path)
    ask()
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts(started=2, dropped=2)


def test_what_the_receiver_refuses_from_a_file_is_counted_as_lost(
    tmp_path: Path, lenient: None, wait_for: WaitFor
) -> None:
    port = unused_port()
    ragvigil.configure(endpoint=f"http://127.0.0.1:{port}", spool_dir=tmp_path, export_interval_s=0.05)
    ask()
    assert ragvigil.flush()
    with receiving(port) as back:
        back.answers = [Reply(400)]
        wait_for(lambda: ragvigil.counts().spool.refused == 2)
        wait_for(lambda: files(tmp_path) == [])
        assert ragvigil.counts().dropped == 2
        assert is_consistent()
        ragvigil.shutdown()


def test_files_are_for_their_owner_only(away: Path) -> None:
    ask()
    assert ragvigil.flush()
    assert stat.S_IMODE(away.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in away.iterdir()} == {0o600}


def test_the_directory_is_bounded_and_what_goes_is_counted(tmp_path: Path, lenient: None) -> None:
    limit = 1 << 20
    endpoint = f"http://127.0.0.1:{unused_port()}"
    ragvigil.configure(endpoint=endpoint, spool_dir=tmp_path, max_spool_bytes=limit)
    for _ in range(60):
        with ragvigil.pipeline("ask") as answer:
            answer.set(question="x" * 19_000, answer="y" * 19_000)
        assert ragvigil.flush(timeout_s=20)
        assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= limit
    counts = ragvigil.counts()
    assert counts.dropped > 10
    assert counts.spool.evicted >= counts.dropped
    assert is_consistent()


def test_a_trace_that_no_file_can_hold_is_dropped_and_counted(tmp_path: Path, lenient: None) -> None:
    endpoint = f"http://127.0.0.1:{unused_port()}"
    ragvigil.configure(endpoint=endpoint, spool_dir=tmp_path, max_spool_bytes=1 << 20)
    with ragvigil.pipeline("huge"):
        for _ in range(50):
            with ragvigil.stage("generate") as stage:
                stage.set(output="x" * 19_000)
    ask("small")
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts(started=53, spooled=2, dropped=51)


def test_a_request_that_nobody_can_read_is_lost_counted_and_holds_nothing_up(
    away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = SpanEncoder.encode

    def spoiled(encoder: SpanEncoder, span: RecordedSpan) -> bytes:
        return b"\xff" if span.name == "spoiled" else encode(encoder, span)

    monkeypatch.setattr(SpanEncoder, "encode", spoiled)
    ask("spoiled")
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts(started=2, dropped=2)
    ask("good")
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts(started=4, spooled=2, dropped=2)


@pytest.mark.parametrize("obstacle", ["a file", "no rights"])
def test_a_directory_that_cannot_be_used_leaves_everything_in_memory(
    tmp_path: Path, lenient: None, caplog: pytest.LogCaptureFixture, obstacle: str
) -> None:
    directory = tmp_path / "spool"
    if obstacle == "a file":
        directory.write_text("in the way")
    else:
        directory = Path("/proc/no/rights")
    port = unused_port()
    ragvigil.configure(endpoint=f"http://127.0.0.1:{port}", spool_dir=directory)
    ask()
    assert not ragvigil.flush(timeout_s=0.5)
    assert ragvigil.counts().spool.failed >= 1
    assert ragvigil.counts().spooled == ragvigil.counts().dropped == 0
    assert caplog.text.count("the spool directory") == 1
    with receiving(port):
        assert ragvigil.flush(timeout_s=10)
        assert ragvigil.counts().exported == 2
        ragvigil.shutdown()


def test_a_full_disk_is_told_once_and_memory_takes_over(
    tmp_path: Path, lenient: None, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoint = f"http://127.0.0.1:{unused_port()}"
    ragvigil.configure(endpoint=endpoint, spool_dir=tmp_path, max_queue_traces=10)
    ask()
    assert ragvigil.flush()

    def full(descriptor: int, data: object) -> int:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        for _ in range(30):
            ask()
        assert not ragvigil.flush(timeout_s=0.5)
        assert ragvigil.counts().dropped == 40
    assert ragvigil.flush(timeout_s=10)
    assert ragvigil.counts().spooled == 22
    assert caplog.text.count("the spool directory") == 1
    ragvigil.shutdown()
    assert frames_in(tmp_path) >= 12


def test_a_flush_that_cannot_be_synced_is_no_success(
    away: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    ask()
    assert ragvigil.flush()

    def broken(descriptor: int) -> None:
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", broken)
        ask()
        assert not ragvigil.flush(timeout_s=0.5)
    assert ragvigil.flush(timeout_s=10)
    assert "Input/output error" in caplog.text


def test_an_open_file_is_closed_after_a_while_so_that_others_can_deliver_it(away: Path, wait_for: WaitFor) -> None:
    ask()
    assert ragvigil.flush()
    (file,) = away.iterdir()

    def is_free() -> bool:
        taken = claim(file)
        if taken is not None:
            taken.release()
        return taken is not None

    assert not is_free()
    wait_for(is_free)


def test_a_directory_that_is_removed_is_made_again_and_what_was_in_it_counted(away: Path) -> None:
    ask()
    assert ragvigil.flush()
    shutil.rmtree(away)
    ask()
    assert ragvigil.flush()
    assert ragvigil.counts() == ragvigil.Counts(started=4, spooled=2, dropped=2)
    assert len(files(away)) == 1


def test_a_damaged_file_is_kept_aside_and_the_rest_of_it_delivered(
    away: Path, receiver: Receiver, wait_for: WaitFor
) -> None:
    whole = ask()
    ragvigil.shutdown()
    (segment,) = away.iterdir()
    with segment.open("ab") as torn:
        torn.write(b"\x01\xff\x00\x00\x00half a frame")
    ragvigil.configure(endpoint=receiver.endpoint, spool_dir=away)
    assert ragvigil.flush()
    wait_for(lambda: ragvigil.counts().spool.corrupt == 1)
    wait_for(lambda: files(away) == [f"{segment.name}.corrupt"])
    assert whole in {span.attributes.get(names.ANSWER_ID) for span in receiver.spans}


def test_the_environment_names_a_directory(tmp_path: Path, lenient: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGVIGIL_SPOOL_DIR", str(tmp_path / "by environment"))
    ragvigil.configure(endpoint=f"http://127.0.0.1:{unused_port()}")
    ask()
    assert ragvigil.flush()
    assert len(files(tmp_path / "by environment")) == 1
    ragvigil.configure(endpoint=f"http://127.0.0.1:{unused_port()}", spool_dir=tmp_path / "given")
    ask()
    assert ragvigil.flush()
    assert len(files(tmp_path / "given")) == 1


def test_an_instance_id_cannot_lead_out_of_the_directory(tmp_path: Path, lenient: None) -> None:
    ragvigil.configure(
        endpoint=f"http://127.0.0.1:{unused_port()}",
        spool_dir=tmp_path / "spool",
        resource={names.SERVICE_INSTANCE_ID: "../../outside/\x00ä"},
    )
    ask()
    assert ragvigil.flush()
    assert files(tmp_path) == ["spool"]
    assert len(files(tmp_path / "spool")) == 1


@pytest.mark.parametrize("given", [5, "", b"x", 3.5, "a\0b"], ids=repr)
def test_a_directory_that_is_no_path_is_refused(given: object) -> None:
    with pytest.raises(ValueError, match="spool_dir: got"):
        ragvigil.configure(spool_dir=given)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [0, -1, 1.5, True, 1000], ids=repr)
def test_a_limit_without_room_is_refused(tmp_path: Path, given: object) -> None:
    with pytest.raises(ValueError, match="max_spool_bytes: got"):
        ragvigil.configure(spool_dir=tmp_path, max_spool_bytes=given)  # type: ignore[arg-type]


def test_without_a_failure_nothing_is_written(tmp_path: Path) -> None:
    exporter = InMemoryExporter()
    ragvigil.configure(exporter=exporter, spool_dir=tmp_path / "spool")
    ask()
    assert ragvigil.flush()
    assert len(exporter.spans) == 2
    assert not (tmp_path / "spool").exists()
