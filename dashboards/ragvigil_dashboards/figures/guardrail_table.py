"""Every guardrail with its state, worst first."""

from collections.abc import Iterable

from ragvigil_dashboards.figures.links import signal_link
from ragvigil_dashboards.figures.names import series_title, signal_title
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.figures.states import GUARDRAIL, look, pill
from ragvigil_dashboards.markup import Markup, table, tag
from ragvigil_dashboards.models import GuardrailState


def guardrail_table(guardrails: Iterable[GuardrailState], reader: Reader) -> Markup:
    """One row a guardrail and series."""
    ordered = sorted(
        guardrails, key=lambda one: (look(one.state, GUARDRAIL).rank, one.guardrail, one.series != "answer", one.series)
    )
    return table(
        ["State", "Guardrail", "Series", "What it says", "Since", "Checked"], (_row(one, reader) for one in ordered)
    )


def _row(one: GuardrailState, reader: Reader) -> list[str]:
    return [
        pill(look(one.state, GUARDRAIL)),
        signal_link(one.guardrail, signal_title(one.guardrail)),
        series_title(one.series),
        one.sentence,
        tag("span", reader.when(one.since), class_="rv-nowrap"),
        tag("span", reader.ago(one.evaluated_at), class_="rv-nowrap"),
    ]
