"""The demo from beginning to end: simulate, judge, report; then service, page and live traffic until Ctrl-C."""

import json
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

from rich.console import Console

from ragvigil_monitor.cli.processes import await_end, start_oncall_page, start_review_page, start_serve
from ragvigil_monitor.demo.console import beginning, explanations, findings_table, progress, summary
from ragvigil_monitor.demo.evidence_report import evidence_report
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.live import send_live_traffic
from ragvigil_monitor.demo.monitor import Monitor
from ragvigil_monitor.demo.options import Options
from ragvigil_monitor.demo.owner import write_settings
from ragvigil_monitor.demo.plan import Plan
from ragvigil_monitor.demo.report import Report, judge
from ragvigil_monitor.demo.reviewer import Reviewers
from ragvigil_monitor.demo.simulation import Simulation
from ragvigil_monitor.demo.truth import Truth


def run_demo(options: Options, now: datetime, stop: threading.Event, console: Console) -> bool:
    """Run everything, weeks that end at `now` or before; whether everything was found and nothing lost.

    Raises MonitorError or httpx.HTTPError, with a sentence, where something does not work.
    """
    options.check()
    end = options.ends_at(now)
    with tempfile.TemporaryDirectory(prefix="ragvigil-demo-") as folder:
        return _Demo(options, end, stop, console, Path(folder)).run()


class _Demo:
    def __init__(self, options: Options, end: datetime, stop: threading.Event, console: Console, folder: Path) -> None:
        self._began = time.monotonic()
        self._options = options
        self._stop = stop
        self._console = console
        self._folder = folder
        self._database = options.db or folder / "demo.duckdb"
        self._plan = Plan.draw(seed=options.seed, end=end, days=options.days, answers=options.answers)
        self._library = Library.build()

    def run(self) -> bool:
        self._console.print(beginning(self._plan), highlight=False)
        report = self._simulate()
        self._tell(report)
        if not self._options.headless:
            self._stay()
        return not report.failures()

    def _simulate(self) -> Report:
        """Simulate against a service that runs its jobs only when asked, and compare its alerts with the plan."""
        serving = start_serve(write_settings(self._folder, on_request=True), self._database, port=0)
        with serving.child, Monitor.at(serving.url, serving.keys) as monitor:
            truth = Truth(self._library)
            with (
                Reviewers.at(serving.url, serving.keys, self._library, truth, self._plan.seed, self._stop) as reviewers,
                progress(self._plan, self._console) as tell,
            ):
                volume = Simulation(
                    self._plan, self._library, monitor, self._stop, tell, truth, reviewers.label_all
                ).run()
            evidence = evidence_report(monitor, truth, reviewers.reviews)
            wall_s = time.monotonic() - self._began
            return judge(volume, self._plan.planted, monitor.alerts(), evidence, wall_s=wall_s)

    def _tell(self, report: Report) -> None:
        if self._options.report is not None:
            self._options.report.write_text(json.dumps(report.as_json(), indent=2) + "\n", encoding="utf-8")
        self._console.print(findings_table(report))
        failures = [f"FAILED: {failure}" for failure in report.failures()]
        for line in (*explanations(report), summary(report), report.evidence.summary(), *failures):
            self._console.print(line, soft_wrap=True, highlight=False)

    def _stay(self) -> None:
        """The same database, now in real time: jobs tick, the pages are there, a few answers a minute go on."""
        with ExitStack() as running:
            settings = write_settings(self._folder, on_request=False)
            serving = start_serve(settings, self._database, self._options.port)
            running.enter_context(serving.child)
            page = start_oncall_page(serving, self._options.page_port)
            running.enter_context(page.child)
            review = start_review_page(serving, self._options.review_page_port)
            running.enter_context(review.child)
            traffic = running.enter_context(ThreadPoolExecutor(max_workers=1))
            running.callback(self._stop.set)
            answering = traffic.submit(send_live_traffic, self._plan, self._library, serving.url, self._stop)
            answering.add_done_callback(lambda _: self._stop.set())
            self._console.print(f"On-call page  {page.url}")
            self._console.print(f"Review page   {review.url}")
            self._console.print(f"Service       {serving.url}   (keys: {serving.keys_path})", soft_wrap=True)
            self._console.print("A few answers a minute go on. Ctrl-C stops everything.")
            await_end(self._stop, serving.child, page.child, review.child)
            answering.result()
