"""The buttons of an alert: say that you are on it, or keep it quiet for a while."""

from datetime import timedelta

import streamlit as st

from ragvigil_dashboards.client import Client
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.models import Alert
from ragvigil_dashboards.oncall import session

_QUIET_H = (1, 4, 8, 24, 72)


def alert_actions(client: Client, alert: Alert, reader: Reader) -> None:
    """Acknowledge and silence, side by side."""
    with st.container(horizontal=True):
        if alert.state == "firing":
            with st.popover("Acknowledge", icon=":material/check:"):
                _acknowledge(client, alert)
        if alert.state != "silenced":
            with st.popover("Silence", icon=":material/notifications_off:"):
                _silence(client, alert, reader)


def _acknowledge(client: Client, alert: Alert) -> None:
    with st.form(f"acknowledge-{alert.alert_id}", border=False):
        by = _name(f"acknowledged-by-{alert.alert_id}")
        note = st.text_input("What do you know? (optional)", key=f"note-{alert.alert_id}", max_chars=500)
        if st.form_submit_button("Acknowledge alert", type="primary") and _is_given(by):
            with session.problems_shown():
                client.acknowledge(alert.alert_id, by=by.strip(), note=note.strip())
                _remember(by)


def _silence(client: Client, alert: Alert, reader: Reader) -> None:
    with st.form(f"silence-{alert.alert_id}", border=False):
        by = _name(f"silenced-by-{alert.alert_id}")
        hours = st.selectbox(
            "No notifications for", _QUIET_H, format_func=lambda hours: f"{hours} h", key=f"quiet-{alert.alert_id}"
        )
        if st.form_submit_button("Silence alert", type="primary") and _is_given(by):
            with session.problems_shown():
                client.silence(alert.alert_id, by=by.strip(), until=reader.now + timedelta(hours=hours))
                _remember(by)


def _name(key: str) -> str:
    return str(st.text_input("Your name", value=st.session_state.get("reader_name", ""), key=key, max_chars=80))


def _is_given(by: str) -> bool:
    if by.strip():
        return True
    st.warning("Your name is needed, so that others know whom to ask.")
    return False


def _remember(by: str) -> None:
    st.session_state["reader_name"] = by.strip()
    st.rerun()
