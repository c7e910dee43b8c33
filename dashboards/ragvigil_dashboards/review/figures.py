"""What the reviewer sees, as inert HTML."""

from collections.abc import Iterable

from ragvigil_dashboards.markup import Markup, foreign, tag
from ragvigil_dashboards.review.choices import CHOICES, NOT_RELEVANT, RELEVANT, SKIP, Choice
from ragvigil_dashboards.review.desk import Decision
from ragvigil_dashboards.review.relevance_figures import passage_name
from ragvigil_dashboards.review_models import ReviewEvidence, ReviewItem, ReviewProgress


def item_view(item: ReviewItem) -> Markup:
    """Question and answer on one side, the evidence on the other; each scrolls on its own."""
    exchange = tag(
        "section",
        tag("h2", "Question"),
        tag("p", _text(item.question, "The question was not recorded."), class_="rw-question"),
        tag("h2", "Answer"),
        tag("p", _text(item.answer, "The answer was not recorded."), class_="rw-answer"),
        tabindex="0",
        aria_label="Question and answer",
    )
    return tag("div", exchange, _evidence(item.evidence), class_="rw-item")


def _evidence(evidence: list[ReviewEvidence]) -> Markup:
    passages = [_passage(place, passage) for place, passage in enumerate(evidence)]
    nothing = tag("p", "The answer was given without any document.", class_="rw-quiet")
    return tag("section", tag("h2", "Evidence"), *(passages or [nothing]), tabindex="0", aria_label="Evidence")


def _passage(place: int, passage: ReviewEvidence) -> Markup:
    text = _text(passage.text, "The text of this document was not recorded.")
    return tag("article", tag("b", passage_name(place)), tag("p", text))


def progress_view(progress: ReviewProgress | None, held: Decision | None, reviewer: str) -> Markup:
    """How much is done today and how much waits."""
    parts = [tag("span", tag("b", "Blind review"), class_="rw-title")]
    if progress is not None:
        done = progress.labelled_today + (held is not None and not held.is_skip)
        parts.append(_bar(done, progress.waiting))
        parts.append(tag("span", tag("b", str(done)), " labelled today"))
        parts.append(tag("span", tag("b", str(progress.waiting)), " waiting"))
        if progress.skipped_today:
            parts.append(tag("span", tag("b", str(progress.skipped_today)), " skipped today"))
    parts.append(tag("span", foreign(reviewer, longest=80), class_="rw-reviewer"))
    return tag("header", *parts, class_="rw-top")


def _bar(done: int, waiting: int) -> Markup:
    share = done / (done + waiting) if done + waiting else 0
    return tag("span", tag("i", style=f"width: {share:.1%}"), class_="rw-bar", aria_hidden="true")


def held_view(held: Decision | None) -> Markup:
    """The last decision, while it can be undone."""
    if held is None:
        return tag("p", "Your last decision waits here until you make the next.", class_="rw-held")
    said = tag("b", _said(held))
    question = foreign(held.item.question or "an item without a question", longest=90)
    return tag("p", "Last: ", said, " · ", question, " · sent with your next label", class_="rw-held", role="status")


def _said(held: Decision) -> str:
    if held.choice is None:
        return f"{len(held.relevant)} of {len(held.item.evidence)} relevant"
    return "Skipped" if held.is_skip else held.choice.title


def rule_view(choice: Choice) -> Markup:
    """When a label is right, in small below its key."""
    return tag("p", choice.rule, class_="rw-rule")


def welcome() -> Markup:
    """What this is."""
    said = (
        "You see a question with its documents, sometimes with the answer that was written from them. Nothing else, so "
        "that nothing sways you."
    )
    return tag("div", tag("h1", "Blind review"), tag("p", said), class_="rw-welcome")


def guideline() -> Markup:
    """When each label of an answer is right."""
    return _guideline(
        "Is the answer carried by its evidence?",
        (*CHOICES, SKIP),
        "Judge by the evidence alone: something true that it does not say is not supported. Wording, tone and "
        "length do not matter, and neither does whether better documents exist. A number, a date or a name that "
        "differs is a claim that is not in the evidence. The order of the documents means nothing.",
    )


def relevance_guideline() -> Markup:
    """When a document is relevant."""
    return _guideline(
        "Which documents are relevant to the question?",
        (RELEVANT, NOT_RELEVANT, SKIP),
        "Judge each document for itself, by the question alone: how long, how good or how old it is does not matter, "
        "nor does whether another one says the same. Often none is relevant, and sometimes all are: save what you "
        "find. The order of the documents means nothing.",
    )


def _guideline(title: str, choices: Iterable[Choice], advice: str) -> Markup:
    rules = (tag("div", tag("dt", tag("kbd", each.key), each.title), tag("dd", each.rule)) for each in choices)
    return tag("div", tag("h2", title), tag("dl", *rules), tag("p", advice), class_="rw-guideline")


def nothing_waits(held: Decision | None) -> Markup:
    """The queue is empty for this reviewer."""
    last = "Your last label is still here: send it with D, or undo it with U." if held is not None else None
    return tag(
        "div",
        tag("h2", "Nothing waits for you"),
        tag("p", last) if last else None,
        tag("p", "Answers are drawn a day after they were given, searches an hour after. Press N to look again."),
        class_="rw-empty",
    )


def _text(text: str | None, otherwise: str) -> Markup:
    return foreign(text) if text else tag("span", otherwise, class_="rw-quiet")
