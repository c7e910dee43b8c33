"""Signals: one chart a series, with its limit, the releases and the alerts."""

from datetime import timedelta

import streamlit as st

from ragvigil_dashboards import formats
from ragvigil_dashboards.client import Client
from ragvigil_dashboards.figures.empty import nothing
from ragvigil_dashboards.figures.judge_line import JUDGED_SIGNALS, judge_lines
from ragvigil_dashboards.figures.names import first_known, signal_title
from ragvigil_dashboards.figures.signal_chart import signal_chart
from ragvigil_dashboards.figures.signal_records import Frame
from ragvigil_dashboards.figures.signal_summary import legend, summary, worst_first
from ragvigil_dashboards.models import SignalInfo
from ragvigil_dashboards.oncall import session
from ragvigil_dashboards.oncall.pickers import pick

RANGES = {
    "24 h": timedelta(days=1),
    "7 d": timedelta(days=7),
    "28 d": timedelta(days=28),
    "6 weeks": timedelta(weeks=6),
}
REFRESHED_EVERY_S = 60


def draw(client: Client) -> None:
    """Draw the pickers and the charts; the address holds what was picked."""
    with session.problems_shown():
        known = {info.signal: info for info in client.signals()}
        if not known:
            session.show(
                nothing(
                    "No signal yet", "Each signal appears with the first look at it; the overview says when that is."
                )
            )
            return
        _charts(client, *_pickers(known))


def _pickers(known: dict[str, SignalInfo]) -> tuple[str, int, timedelta]:
    with st.container(horizontal=True):
        signal = pick("Signal", first_known(known), key="signal", shown_as=signal_title)
        windows = {formats.window(seconds): seconds for seconds in known[signal].windows_s}
        window = pick("Window of one look", list(windows), key="window")
        length = pick("Time shown", list(RANGES), key="shown", usual="7 d")
    return signal, windows[window], RANGES[length]


@st.fragment(run_every=REFRESHED_EVERY_S)
def _charts(client: Client, signal: str, window_s: int, length: timedelta) -> None:
    with session.problems_shown():
        reader = session.reader()
        end = reader.now.replace(second=0, microsecond=0)
        alerts = [*client.status().alerts, *client.alerts(state="resolved", limit=50)]
        frame = Frame(end - length, end, client.releases(), alerts)
        session.show(legend())
        if signal in JUDGED_SIGNALS:
            session.show(judge_lines(client.judges(), reader))
        for series in worst_first(client.points(signal, window_s=window_s, start=frame.start, end=frame.end)):
            session.show(summary(series, reader))
            st.vega_lite_chart(spec=signal_chart(series, frame), width="stretch")
