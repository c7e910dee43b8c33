"""One alert as a card: what, since when, how sure, where, which release, which traces."""

from collections.abc import Iterable, Mapping

from ragvigil_dashboards.figures.alert_evidence import evidence_facts
from ragvigil_dashboards.figures.links import signal_link
from ragvigil_dashboards.figures.names import series_title, signal_title
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.states import ALERT, look, pill
from ragvigil_dashboards.markup import Markup, foreign, tag, together
from ragvigil_dashboards.models import Alert, Evidence


def worst_first(alerts: Iterable[Alert]) -> list[Alert]:
    """Firing before acknowledged before silenced; then how far above the limit the lower bound lies."""
    return sorted(alerts, key=lambda alert: (look(alert.state, ALERT).rank, -_excess(alert.evidence)))


def card(alert: Alert, reader: Reader, phoenix_urls: Mapping[str, str] = {}) -> Markup:
    """The card, without its frame and its buttons. phoenix_urls: where traces are in Phoenix, by trace id."""
    return tag(
        "section",
        tag("header", pill(look(alert.state, ALERT)), _title(alert), _handled(alert, reader)),
        tag("p", alert.sentence, class_="rv-sentence"),
        tag("dl", *evidence_facts(alert, reader, phoenix_urls)),
        class_=f"rv-alert {look(alert.state, ALERT).tone}",
    )


def _excess(evidence: Evidence) -> float:
    bound = evidence.lower if evidence.lower is not None else evidence.value
    return bound / evidence.limit if bound is not None and evidence.limit else 0.0


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
