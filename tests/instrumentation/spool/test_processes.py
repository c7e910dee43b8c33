"""Real processes that share a spool directory: fork, the end of a process, and others that deliver what was left."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from ragvigil.spool.claim import claim
from ragvigil.spool.frames import Kind
from ragvigil.testing.snapshots import read_spans

WaitFor = Callable[[Callable[[], object]], None]

APP = """
    import multiprocessing, os, signal, sys, threading
    import ragvigil

    ragvigil.configure(endpoint=sys.argv[1], spool_dir=sys.argv[2], export_interval_s=0.05)

    def ask(name):
        with ragvigil.pipeline(name), ragvigil.stage("retrieve"):
            pass

"""


def nowhere() -> str:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"


def run(script: str, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", "-c", textwrap.dedent(APP) + textwrap.dedent(script), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def running(script: str, *arguments: str) -> Iterator[tuple["subprocess.Popen[str]", IO[str]]]:
    command = [sys.executable, "-c", textwrap.dedent(APP) + textwrap.dedent(script), *arguments]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout
    finally:
        process.kill()
        process.communicate()


def answers_in(directory: Path) -> list[str]:
    """Names of the answers in closed segments, whole traces each; fails where a segment is torn or in use."""
    names: list[str] = []
    for file in directory.glob("*.spool"):
        taken = claim(file)
        assert taken is not None, f"{file} is in use"
        with taken:
            for frame in taken.frames():
                if frame.kind is Kind.TRACES:
                    retrieve, answer = read_spans(frame.payload)
                    assert retrieve.parent_id == answer.span_id
                    names.append(answer.name)
    return sorted(names)


def is_free(file: Path) -> bool:
    taken = claim(file)
    if taken is not None:
        taken.release()
    return taken is not None


def test_the_rest_is_written_at_exit(tmp_path: Path) -> None:
    run("for number in range(300): ask(f'{number:03}')", nowhere(), str(tmp_path))
    assert answers_in(tmp_path) == [f"{number:03}" for number in range(300)]


def test_the_rest_is_written_at_exit_although_the_receiver_hangs(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        run(
            "for number in range(30): ask(f'{number:02}')", f"http://127.0.0.1:{server.getsockname()[1]}", str(tmp_path)
        )
    assert set(answers_in(tmp_path)) == {f"{number:02}" for number in range(30)}


def test_every_process_writes_segments_of_its_own(tmp_path: Path) -> None:
    run(
        """
        ask("before")
        assert ragvigil.flush(20)
        children = []
        for number in range(3):
            child = os.fork()
            if child == 0:
                ask(f"child {number}")
                os._exit(0 if ragvigil.flush(20) and ragvigil.counts().spooled == 2 else 3)
            children.append(child)
        assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0, 0]
        ask("after")
        """,
        nowhere(),
        str(tmp_path),
    )
    assert answers_in(tmp_path) == ["after", "before", "child 0", "child 1", "child 2"]
    assert len(list(tmp_path.glob("*.spool"))) == 4


FORKING = """
    ask("parent")
    assert ragvigil.flush(20)
    parents, = os.listdir(sys.argv[2])
    child = os.fork()
    if child == 0:
        ask("child")
        assert ragvigil.flush(20)
        print(parents, *(set(os.listdir(sys.argv[2])) - {parents}), flush=True)
        sys.stdin.readline()
        os._exit(0)
    os.waitpid(child, 0)
    print("the child is gone", flush=True)
    sys.stdin.readline()
"""


def test_a_child_does_not_keep_the_segment_of_a_dead_parent(tmp_path: Path, wait_for: WaitFor) -> None:
    with running(FORKING, nowhere(), str(tmp_path)) as (parent, said):
        parents, childs = said.readline().split()
        assert not is_free(tmp_path / parents)
        parent.send_signal(signal.SIGKILL)
        wait_for(lambda: is_free(tmp_path / parents))
        assert not is_free(tmp_path / childs)


def test_the_end_of_a_child_leaves_the_segment_to_its_parent(tmp_path: Path) -> None:
    with running(FORKING, nowhere(), str(tmp_path)) as (parent, said):
        parents, childs = said.readline().split()
        assert parent.stdin is not None
        parent.stdin.write("go on\n")
        parent.stdin.flush()
        assert said.readline() == "the child is gone\n"
        assert not is_free(tmp_path / parents)
        assert is_free(tmp_path / childs)


def test_forks_while_the_parent_writes_tear_nothing(tmp_path: Path) -> None:
    run(
        """
        stop = threading.Event()
        def work():
            number = 0
            while not stop.is_set():
                ask(f"parent {number}")
                number += 1
                ragvigil.flush(20)
            ragvigil.flush(20)
            print(number)
        thread = threading.Thread(target=work)
        thread.start()
        for number in range(25):
            child = os.fork()
            if child == 0:
                ask(f"child {number}")
                os._exit(0 if ragvigil.flush(20) else 3)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        stop.set()
        thread.join()
        """,
        nowhere(),
        str(tmp_path),
    )
    answers = answers_in(tmp_path)
    assert {f"child {number}" for number in range(25)} <= set(answers)
    assert len(answers) == len(set(answers))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_of_multiprocessing_spool_too(tmp_path: Path, method: str) -> None:
    script = tmp_path / "app.py"
    script.write_text(
        textwrap.dedent(APP)
        + textwrap.dedent(f"""
            def work(number):
                ask(f"child {{number}}")
                return ragvigil.flush(20)

            if __name__ == "__main__":
                with multiprocessing.get_context("{method}").Pool(2) as pool:
                    assert all(pool.map(work, range(4)))
        """)
    )
    spool = tmp_path / "spool"
    subprocess.run([sys.executable, str(script), nowhere(), str(spool)], check=True, timeout=60)
    assert answers_in(spool) == [f"child {number}" for number in range(4)]


def test_a_killed_process_leaves_what_it_has_written(tmp_path: Path) -> None:
    script = """
        ask("synced")
        assert ragvigil.flush(20)
        ask("not synced")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    with running(script, nowhere(), str(tmp_path)) as (process, _):
        assert process.wait(30) == -signal.SIGKILL
    assert "synced" in answers_in(tmp_path)


WSGI = """
import os, sys
import ragvigil

ragvigil.configure(endpoint=os.environ["RECEIVER"], spool_dir=os.environ["SPOOL"])
with ragvigil.pipeline("in the master"), ragvigil.stage("retrieve"):
    pass
ragvigil.flush(20)

def app(environ, start_response):
    with ragvigil.pipeline(environ["PATH_INFO"]), ragvigil.stage("retrieve"):
        start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(os.getpid()).encode()]
"""


def test_workers_of_a_preloaded_gunicorn_spool_all_answers(tmp_path: Path, wait_for: WaitFor) -> None:
    (tmp_path / "shop.py").write_text(WSGI)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    master = subprocess.Popen(
        [sys.executable, "-m", "gunicorn", "--preload", "--workers=3", f"--bind=127.0.0.1:{port}", "shop:app"],
        cwd=tmp_path,
        env={**os.environ, "RECEIVER": nowhere(), "SPOOL": str(tmp_path / "spool")},
        stderr=subprocess.DEVNULL,
    )

    def get(path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=20) as answer:
            return str(answer.read().decode())

    def answers() -> bool:
        try:
            return bool(get("/warm"))
        except OSError:
            return False

    try:
        wait_for(answers)
        for number in range(40):
            get(f"/{number}")
    finally:
        master.terminate()
        master.wait(30)
    asked = answers_in(tmp_path / "spool")
    assert [name for name in asked if name == "in the master"] == ["in the master"]
    assert sorted(name for name in asked if name[1:].isdigit()) == sorted(f"/{number}" for number in range(40))


def test_a_frame_is_an_export_request(tmp_path: Path) -> None:
    run("ask('one')", nowhere(), str(tmp_path))
    (file,) = tmp_path.iterdir()
    taken = claim(file)
    assert taken is not None
    with taken:
        first = next(taken.frames())
    assert len(ExportTraceServiceRequest.FromString(first.payload).resource_spans) == 1


@pytest.mark.parametrize("what", ["file", "directory"])
def test_a_fork_while_the_disk_works_leaves_no_segment_locked(tmp_path: Path, what: str) -> None:
    """With a disk that takes its time, so that the fork comes in the middle."""
    script = """
    import stat
    inside, over, sync = threading.Event(), threading.Event(), os.fsync

    def slow(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode) == (sys.argv[3] == "directory"):
            inside.set()
            over.wait(10)
        sync(descriptor)

    os.fsync = slow
    ask("ask")
    assert inside.wait(20)
    child = os.fork()
    if child == 0:
        held = [os.readlink(f"/proc/self/fd/{each}") for each in os.listdir("/proc/self/fd") if int(each) > 2
                and os.path.exists(f"/proc/self/fd/{each}")]
        segments = [name for name in held if name.endswith(".spool")]
        os.write(1, f"child {segments}\\n".encode())  # as a whole: the parent writes too
        sys.stdin.read()
        os._exit(0)
    over.set()
    ragvigil.shutdown()
    os.write(1, b"parent\\n")
    sys.stdin.read()
    """
    with running(script, nowhere(), str(tmp_path), what) as (process, output):
        lines = sorted(output.readline().split(maxsplit=1) for _ in range(2))
        assert lines == [["child", "[]\n"], ["parent"]]
        assert answers_in(tmp_path) == ["ask"]
        process.communicate("")
