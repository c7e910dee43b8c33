"""Real processes: their end, and fork."""

import json
import subprocess
import sys
import textwrap

import pytest

SCRIPT = """
    import json, os, sys
    {imports}
    from opentelemetry import trace
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
    import ragvigil
    from ragvigil.testing import InMemoryExporter

    class Printing(SpanExporter):
        def export(self, spans):
            for span in spans:
                os.write(1, (json.dumps([os.getpid(), span.name]) + "\\n").encode())
            return SpanExportResult.SUCCESS

    def provide():
        provider = TracerProvider()
        provider.add_span_processor(BatchSpanProcessor(Printing()))
        trace.set_tracer_provider(provider)

    def ask(name):
        with ragvigil.pipeline(name), ragvigil.stage("embed"):
            pass

    {body}
"""
AT_EXIT = {
    "provider first": "provide(); ragvigil.configure(exporter=InMemoryExporter()); ask('ask')",
    "provider last": "ragvigil.configure(exporter=InMemoryExporter()); provide(); ask('ask')",
    "receiver down": "ragvigil.configure(endpoint='http://127.0.0.1:1', timeout_s=0.1); provide(); ask('ask')",
    "many": "provide(); ragvigil.configure(exporter=InMemoryExporter()); [ask('ask') for _ in range(200)]",
}


def run(body: str, imports: str = "") -> list[list[object]]:
    script = textwrap.dedent(SCRIPT).format(imports=imports, body=textwrap.dedent(body))
    command = [sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("imports", ["", "import ragvigil"], ids=["ragvigil last", "ragvigil first"])
@pytest.mark.parametrize("body", AT_EXIT.values(), ids=AT_EXIT)
def test_what_waits_reaches_the_processors_before_the_provider_shuts_them_down(body: str, imports: str) -> None:
    times = 200 if "range" in body else 1
    assert [name for _, name in run(body, imports)] == ["embed", "ask"] * times


def test_a_forked_child_hands_over_its_own_spans_once() -> None:
    told = run("""
        provide()
        ragvigil.configure(exporter=InMemoryExporter())
        ask("before")
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            assert status == 0, status
            ask("parent")
        else:
            ask("child")
            is_flushed = ragvigil.flush(20) and trace.get_tracer_provider().force_flush()
            os._exit(0 if is_flushed and ragvigil.counts().bridge == ragvigil.BridgeCounts(given=2) else 3)
    """)
    by_name = {str(name): pid for pid, name in told if name != "embed"}
    assert sorted(str(name) for _, name in told) == ["before", "child", *["embed"] * 3, "parent"]
    assert by_name["before"] == by_name["parent"] != by_name["child"]


def test_fork_while_a_processor_hangs_does_not_hang_the_end_of_the_child() -> None:
    told = run("""
        import threading
        from opentelemetry.sdk.trace import SpanProcessor
        began, released = threading.Event(), threading.Event()

        class Hanging(SpanProcessor):
            def on_end(self, span):
                began.set()
                released.wait(30)

        provide()
        trace.get_tracer_provider().add_span_processor(Hanging())
        ragvigil.configure(exporter=InMemoryExporter())
        ask("before")
        began.wait(10)
        child = os.fork()
        if child:
            _, status = os.waitpid(child, 0)
            released.set()
            assert status == 0
        else:
            sys.exit(0)
    """)
    assert {name for _, name in told} == {"embed", "before"}
