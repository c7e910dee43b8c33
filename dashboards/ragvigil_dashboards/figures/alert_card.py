"""One alert as a card: what, what to suspect, since when, how sure, where, what was new, which traces."""

import math
from collections.abc import Iterable, Mapping

from ragvigil_dashboards.figures.alert_evidence import evidence_facts
from ragvigil_dashboards.figures.links import signal_link
from ragvigil_dashboards.figures.names import series_title, signal_title
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.states import ALERT, look, pill
from ragvigil_dashboards.figures.triage_line import triage_line
from ragvigil_dashboards.markup import Markup, foreign, tag, together
from ragvigil_dashboards.models import Alert, Evidence


def worst_first(alerts: Iterable[Alert]) -> list[Alert]:
    """Firing before acknowledged before silenced; then how far beyond the limit the whole interval lies."""
    return sorted(alerts, key=lambda alert: (look(alert.state, ALERT).rank, -_excess(alert.evidence)))


def card(alert: Alert, reader: Reader, phoenix_urls: Mapping[str, str] = {}) -> Markup:
    """The card, without its frame and its buttons. phoenix_urls: where traces are in Phoenix, by trace id."""
    return tag(
        "section",
        tag("header", pill(look(alert.state, ALERT)), _title(alert), _handled(alert, reader)),
        tag("p", alert.sentence, class_="rv-sentence"),
        triage_line(alert.evidence, reader),
        tag("dl", *evidence_facts(alert, reader, phoenix_urls)),
        class_=f"rv-alert {look(alert.state, ALERT).tone}",
    )


def _excess(evidence: Evidence) -> float:
    """The nearer end of the interval in limits; the limit in such ends where the value lies below it."""
    if evidence.value is None or not evidence.limit:
        return 0.0
    if evidence.value >= evidence.limit:
        return (evidence.value if evidence.lower is None else evidence.lower) / evidence.limit
    bound = evidence.value if evidence.upper is None else evidence.upper
    return evidence.limit / bound if bound > 0 else math.inf


def _title(alert: Alert) -> Markup:
    text = f"{signal_title(alert.guardrail)} · {series_title(alert.series)}"
    return tag("span", signal_link(alert.guardrail, text), class_="rv-title")


def _handled(alert: Alert, reader: Reader) -> Markup | None:
    if alert.state == "silenced" and alert.silenced_until:
        return tag("span", "no notifications until ", reader.when(alert.silenced_until), class_="rv-aside")
    if alert.acknowledged_by is None or alert.acknowledged_at is None:
        return None
    note = together([": ", foreign(alert.acknowledged_note)]) if alert.acknowledged_note else None
    return tag(
        "span", foreign(alert.acknowledged_by), ", ", reader.when(alert.acknowledged_at), note, class_="rv-aside"
    )
