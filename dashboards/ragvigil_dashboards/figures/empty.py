"""What a page says when there is nothing to show: what to do."""

from ragvigil_dashboards.markup import Markup, tag

_EXAMPLE = """\
import ragvigil

ragvigil.configure(service_name="my-rag-app")

@ragvigil.pipeline
def answer(question: str) -> str: ..."""


def no_answers_yet() -> Markup:
    """Nothing ever arrived: how to instrument."""
    return tag(
        "div",
        tag("h3", "No answer has arrived yet"),
        tag("p", "Add these lines to your application; its answers appear here a few seconds after they are given."),
        tag("pre", _EXAMPLE),
        tag(
            "p",
            "Any OpenTelemetry SDK can also send OTLP over HTTP to the address of ",
            tag("code", "ragvigil serve"),
            ".",
        ),
        class_="rv-empty",
    )


def nothing(title: str, advice: str) -> Markup:
    """Nothing here, and what would change that."""
    return tag("div", tag("h3", title), tag("p", advice), class_="rv-empty")


def problem(sentence: str) -> Markup:
    """Something is in the way."""
    return tag("div", tag("b", "▲ "), sentence, class_="rv-problem bad", role="alert")
