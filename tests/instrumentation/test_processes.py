"""Real processes: what `import` loads, the end of a process, fork."""

import json
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

import pytest

import ragvigil
from ragvigil import attributes as names
from ragvigil.testing import Receiver

LIGHT = {"google", "opentelemetry", "ragvigil", "typing_extensions"}


def run(script: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", textwrap.dedent(script), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_import_loads_opentelemetry_and_protobuf_only() -> None:
    loaded = run("""
        import sys, sysconfig
        import ragvigil
        site = sysconfig.get_paths()["purelib"]
        third_party = {
            name.partition(".")[0]
            for name, module in sys.modules.items()
            if (getattr(module, "__file__", None) or "").startswith(site) or name.startswith("ragvigil")
        } - {"_distutils_hack"}  # loaded by the site module wherever setuptools is installed
        print(*sorted(third_party))
        heavy = {"ragvigil.spool", "numpy", "duckdb", "asyncio", "http.client", "ssl", "opentelemetry.sdk"}
        print(*sorted(heavy & set(sys.modules)))
    """).splitlines()
    assert set(loaded[0].split()) <= LIGHT
    assert loaded[1:] in ([], [""])


OTHER_CONTEXTS = """
from opentelemetry.context.context import Context, _RuntimeContext

class Listed(_RuntimeContext):
    stack = [Context()]

    def attach(self, context):
        self.stack.append(context)
        return len(self.stack) - 1

    def get_current(self):
        return self.stack[-1]

    def detach(self, token):
        del self.stack[token:]
"""


def install_other_contexts(folder: Path) -> None:
    metadata = folder / "listed-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: listed\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text("[opentelemetry_context]\nlisted = listed:Listed\n")
    (folder / "listed.py").write_text(OTHER_CONTEXTS)


def test_another_implementation_of_contexts_is_respected(tmp_path: Path) -> None:
    """OpenTelemetry lets a package keep its context in something else than a context variable."""
    install_other_contexts(tmp_path)
    found = run(
        """
        import os, sys
        sys.path.insert(0, sys.argv[1])
        os.environ["OTEL_PYTHON_CONTEXT"] = "listed"
        import ragvigil
        import listed
        from opentelemetry import trace
        from ragvigil.testing import InMemoryExporter, strict
        exporter = InMemoryExporter()
        ragvigil.configure(exporter=exporter)
        with strict(), ragvigil.pipeline("ask") as answer:
            with ragvigil.stage("retrieve") as stage:
                assert trace.get_current_span() is stage
            assert trace.get_current_span() is answer
            print(len(listed.Listed.stack))
        print(len(listed.Listed.stack), ragvigil.flush(), exporter.one("retrieve").parent_id == answer.id[33:])
        """,
        str(tmp_path),
    )
    assert found.split() == ["2", "1", "True", "True"]


def test_import_is_quick() -> None:
    """Beside what OpenTelemetry and protobuf cost alone, since machines differ; the benchmark prints milliseconds.

    numpy alone would double it.
    """

    def cost_s(statement: str) -> float:
        return float(run(f"import time; began = time.process_time(); {statement}; print(time.process_time() - began)"))

    messages = "opentelemetry.proto.collector.{0}.v1.{0}_service_pb2"
    theirs = f"import opentelemetry.trace, {messages.format('trace')}, {messages.format('logs')}"
    runs = [(cost_s("import ragvigil"), cost_s(theirs)) for _ in range(5)]
    assert min(ours for ours, _ in runs) < 4 * min(others for _, others in runs)


def test_what_waits_is_delivered_at_exit(receiver: Receiver) -> None:
    run(
        """
        import sys, ragvigil
        ragvigil.configure(service_name="short", endpoint=sys.argv[1], export_interval_s=3600)
        with ragvigil.pipeline("ask"), ragvigil.stage("retrieve"):
            pass
        """,
        receiver.endpoint,
    )
    assert [span.name for span in receiver.spans] == ["retrieve", "ask"]
    assert receiver.logs[-1].attributes[names.SPANS_EXPORTED] == 2


def test_what_waits_is_delivered_when_the_application_fails(receiver: Receiver) -> None:
    failed = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, ragvigil\n"
            "ragvigil.configure(endpoint=sys.argv[1])\n"
            "with ragvigil.pipeline('ask'):\n"
            "    raise ValueError('app bug')",
            receiver.endpoint,
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert failed.returncode == 1
    assert failed.stderr.strip().endswith("ValueError: app bug")
    assert receiver.spans[0].status == "error"


FORK = """
    import json, os, sys, threading
    import ragvigil
    from ragvigil import current

    ragvigil.configure(service_name="forking", endpoint=sys.argv[1], export_interval_s=3600)

    def ask(name):
        with ragvigil.pipeline(name), ragvigil.stage("retrieve"):
            pass

    ask("before")
    {before}
    children = []
    for number in range(3):
        child = os.fork()
        if child == 0:
            {in_child}
            ask(f"child {{number}}")
            delivered = ragvigil.flush(20)
            os._exit(0 if delivered and ragvigil.counts().dropped == 0 else 3)
        children.append(child)
    {after}
    ask("after")
    assert ragvigil.flush(20)
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    print(json.dumps(statuses))
"""


def forked(receiver: Receiver, before: str = "pass", in_child: str = "pass", after: str = "pass") -> list[int]:
    script = FORK.format(before=before, in_child=in_child, after=after)
    statuses: list[int] = json.loads(run(script, receiver.endpoint))
    return statuses


@pytest.mark.parametrize("before", ["pass", "assert ragvigil.flush(20)"], ids=["while traces wait", "when idle"])
def test_every_process_delivers_its_own_spans_once(receiver: Receiver, before: str) -> None:
    assert forked(receiver, before) == [0, 0, 0]
    asked = sorted(span.name for span in receiver.spans if span.name != "retrieve")
    assert asked == ["after", "before", "child 0", "child 1", "child 2"]
    assert len({span.trace_id for span in receiver.spans}) == 5
    assert len({span.span_id for span in receiver.spans}) == 10


def test_every_process_has_an_instance_and_counters_of_its_own(receiver: Receiver) -> None:
    assert forked(receiver) == [0, 0, 0]
    newest = {log.resource[names.SERVICE_INSTANCE_ID]: log for log in receiver.logs}
    instances = {span.resource[names.SERVICE_INSTANCE_ID] for span in receiver.spans}
    assert set(newest) == instances
    assert len(instances) == 4
    assert sorted(log.attributes[names.SPANS_STARTED] for log in newest.values()) == [2, 2, 2, 4]
    assert sorted(log.attributes[names.SPANS_EXPORTED] for log in newest.values()) == [2, 2, 2, 4]
    pids = {span.resource[names.PROCESS_PID] for span in receiver.spans}
    assert len(pids) == 4


def test_fork_while_another_thread_holds_the_lock_does_not_hang_the_child(receiver: Receiver) -> None:
    hold = "locked = current.recorder._queue.changed; threading.Thread(target=locked.acquire).start()"
    # The lock of the parent stays with a thread that has ended: only the children may use the library afterwards.
    script = FORK.format(before=hold, in_child="pass", after="os.waitpid(children[0], 0); os._exit(0)")
    run(script, receiver.endpoint)
    assert "child 0" in {span.name for span in receiver.spans}


def test_a_stage_in_a_child_keeps_its_answer(receiver: Receiver) -> None:
    run(
        """
        import os, sys, ragvigil
        ragvigil.configure(endpoint=sys.argv[1])
        with ragvigil.pipeline("ask"):
            child = os.fork()
            if child == 0:
                with ragvigil.stage("in child"):
                    pass
                os._exit(0 if ragvigil.flush(20) else 3)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        """,
        receiver.endpoint,
    )
    by_name = {span.name: span for span in receiver.spans}
    assert set(by_name) == {"ask", "in child"}
    assert by_name["in child"].attributes[names.ANSWER_SPAN_ID] == by_name["ask"].span_id
    assert by_name["in child"].trace_id == by_name["ask"].trace_id


PROBING = """
    import os, sys, threading, ragvigil
    from ragvigil import current, relevance, where
    from ragvigil.predicates import eq

    ragvigil.configure(endpoint=sys.argv[1], probe_share=1.0)

    @ragvigil.retriever(filter="where", top_k="k")
    def search(query, where=None, k=3):
        return ["a"]

    said = where(relevance(eq("lang", "de")))
"""


def test_a_forked_child_probes_for_itself(receiver: Receiver) -> None:
    run(
        PROBING
        + """
    search("in the parent", said)
    assert ragvigil.flush(20)
    child = os.fork()
    if child == 0:
        search("in the child", said)
        os._exit(0 if ragvigil.flush(20) and ragvigil.counts().probes.run == 1 else 3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    """,
        receiver.endpoint,
    )
    probes = [span for span in receiver.spans if names.PROBE_ID in span.attributes]
    assert len(probes) == 2
    assert len({span.resource[names.SERVICE_INSTANCE_ID] for span in probes}) == 2


def test_an_answer_that_ends_in_a_forked_child_leaves_its_probe_to_the_parent(receiver: Receiver) -> None:
    run(
        PROBING
        + """
    with ragvigil.pipeline("ask"):
        search("before the fork", said)
        # The lock of the parent's probes may be held when it forks.
        threading.Thread(target=current.recorder._probes._changed.acquire).start()
        child = os.fork()
        if child:
            os._exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    os._exit(0 if ragvigil.flush(20) and ragvigil.counts().probes.run == 0 else 3)
    """,
        receiver.endpoint,
    )


def test_multiprocessing_children_flush_by_themselves(receiver: Receiver) -> None:
    run(
        """
        import multiprocessing, sys, ragvigil

        def work(number):
            with ragvigil.pipeline(f"child {number}"):
                pass
            return ragvigil.flush(20)

        ragvigil.configure(endpoint=sys.argv[1])
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert all(pool.map(work, range(4)))
        """,
        receiver.endpoint,
    )
    assert sorted(span.name for span in receiver.spans) == [f"child {number}" for number in range(4)]


END_OF_CHILDREN = """
    import multiprocessing, sys, ragvigil

    def configured():
        ragvigil.configure(endpoint=sys.argv[1], export_interval_s=3600)

    def grandchild():
        with ragvigil.pipeline("grandchild"):
            pass

    def child():
        with ragvigil.pipeline("child"):
            pass

    def parent():
        child()
        joined(grandchild)

    def configuring():
        configured()
        child()

    def joined(target):
        process = multiprocessing.get_context("fork").Process(target=target)
        process.start()
        process.join()
        assert process.exitcode == 0

"""


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("configured(); joined(child)", ["child"]),
        ("configured(); joined(parent)", ["child", "grandchild"]),
        ("joined(configuring)", ["child"]),
        ("configured(); joined(configuring)", ["child"]),
    ],
    ids=["configured before", "a child of a child", "configured in the child", "configured again in the child"],
)
def test_what_a_child_of_multiprocessing_recorded_is_delivered_at_its_end(
    receiver: Receiver, script: str, expected: list[str]
) -> None:
    run(END_OF_CHILDREN + f"    {script}", receiver.endpoint)
    assert sorted(span.name for span in receiver.spans) == expected
    exported = sorted(log.attributes[names.SPANS_EXPORTED] for log in receiver.logs)
    assert exported == [1] * len(expected)


def test_a_child_of_multiprocessing_spools_what_nobody_takes(tmp_path: Path) -> None:
    run(
        END_OF_CHILDREN
        + """
    import logging
    logging.disable()
    ragvigil.configure(endpoint="http://127.0.0.1:1", spool_dir=sys.argv[1], export_interval_s=3600)
    joined(child)
    """,
        str(tmp_path),
    )
    assert len(list(tmp_path.glob("*.spool"))) == 1


def test_multiprocessing_may_be_imported_after_ragvigil_is_configured(receiver: Receiver) -> None:
    run(
        """
        import sys, ragvigil
        ragvigil.configure(endpoint=sys.argv[1], export_interval_s=3600)
        assert "multiprocessing" not in sys.modules
        import multiprocessing

        def child():
            with ragvigil.pipeline("child"):
                pass

        process = multiprocessing.get_context("fork").Process(target=child)
        process.start()
        process.join()
        """,
        receiver.endpoint,
    )
    assert [span.name for span in receiver.spans] == ["child"]


def test_the_version_is_that_of_the_packaging() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert ragvigil.__version__ == project["version"]
