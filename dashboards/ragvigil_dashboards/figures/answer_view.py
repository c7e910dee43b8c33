"""A single answer: question, answer and its facts."""

from ragvigil_dashboards import formats
from ragvigil_dashboards.figures.answer_table import status_word
from ragvigil_dashboards.figures.links import phoenix_link
from ragvigil_dashboards.figures.reader import Reader
from ragvigil_dashboards.markup import Markup, foreign, tag, together
from ragvigil_dashboards.models import Answer


def question_and_answer(answer: Answer) -> Markup:
    """What was asked and what was answered, as inert text."""
    return tag(
        "div",
        tag("div", _or_missing(answer.question, "The question was not recorded."), class_="rv-question"),
        tag("div", _or_missing(answer.answer, "The answer was not recorded."), class_="rv-answer", tabindex="0"),
        class_="rv-exchange",
    )


def facts(answer: Answer, reader: Reader) -> Markup:
    """Duration, cost, release, slices and ids as pairs."""
    release = " ".join([answer.service, answer.service_version or ""])
    pairs: list[tuple[str, str | None]] = [
        ("Started", tag("span", formats.instant(answer.started_at, reader.zone))),
        ("Took", formats.milliseconds(answer.duration_ms)),
        ("Cost", formats.money(answer.cost_usd)),
        ("Status", status_word(answer.status)),
        ("Release", foreign(release, longest=80)),
        ("Intent", _optional(answer.intent)),
        ("Slices", _slices(answer)),
        ("Session", _optional(answer.session_id)),
        ("Refusal", {True: "yes", False: "no", None: None}[answer.refusal]),
        ("Confidence", None if answer.confidence is None else f"{answer.confidence:.2f}"),
        ("Answer id", foreign(answer.answer_id, longest=80)),
        ("Phoenix", _phoenix(answer)),
    ]
    return pairs_list(pairs, "rv-strip")


def pairs_list(pairs: list[tuple[str, str | None]], class_: str = "rv-facts") -> Markup:
    """Names and values; a value of None is left out."""
    shown = ((name, value) for name, value in pairs if value is not None)
    return tag("dl", *(tag("div", tag("dt", name), tag("dd", value)) for name, value in shown), class_=class_)


def _optional(text: str | None) -> Markup | None:
    return foreign(text, longest=80) if text else None


def _phoenix(answer: Answer) -> Markup | None:
    if answer.phoenix_share is None:
        return None
    if answer.phoenix_url is None:
        return tag("span", f"not forwarded (share {formats.percent(answer.phoenix_share)})", class_="rv-aside")
    return phoenix_link(answer.phoenix_url, "open the trace")


def _slices(answer: Answer) -> Markup | None:
    if not answer.slices:
        return None
    return together(
        tag("span", foreign(f"{name} = {value}", longest=80), class_="rv-chip") for name, value in answer.slices.items()
    )


def _or_missing(text: str | None, otherwise: str) -> Markup:
    return foreign(text) if text else tag("span", otherwise, class_="rv-aside")
