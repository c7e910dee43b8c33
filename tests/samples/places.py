"""Everywhere that an application can put a text into telemetry."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from opentelemetry.trace import SpanContext, Status, StatusCode

import ragvigil
from ragvigil import Answer, Stage, entitlement, relevance, where
from ragvigil.predicates import Filter, all_, eq, gt, in_, not_, opaque, or_, prefix

Place = Callable[[Answer, Stage, str], object]


class Unprintable:
    """Fails with the secret in its message, whatever one does with it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        raise ValueError(self.text)

    def __float__(self) -> float:
        raise ValueError(self.text)

    def __iter__(self) -> Iterator[object]:
        raise ValueError(self.text)


def chained(text: str) -> None:
    try:
        raise KeyError(text)
    except KeyError as inner:
        outer = ExceptionGroup(text, [ValueError(text), TypeError({text: text})])
        outer.add_note(text)
        raise outer from inner


def raising(answer: Answer, stage: Stage, text: str) -> None:
    with suppress(ExceptionGroup), ragvigil.stage("generate"):
        chained(text)


def streaming(answer: Answer, stage: Stage, text: str) -> None:
    @ragvigil.pipeline("inner")
    def stream(question: str) -> Iterator[str]:
        yield from (question, text[: len(text) // 2], text[len(text) // 2 :])

    assert list(stream(text))


def asking(answer: Answer, stage: Stage, text: str) -> None:
    @ragvigil.pipeline("inner")
    def ask(question: str) -> str:
        raise LookupError(question)

    with suppress(LookupError):
        ask(text)


def searching(answer: Answer, stage: Stage, text: str) -> None:
    """A search that is probed as well."""

    @ragvigil.retriever(filter="where", query="query", top_k="k", relevance=("lang",))
    def search(query: str, where: Any = None, k: int = 2) -> list[dict[str, object]]:
        return [{"id": text, "text": query, "metadata": {"lang": text}}] * k

    search(text, {"tenant": text, "lang": text})
    search(text, where(relevance(eq("lang", text)), entitlement(eq("tenant", text))))


def badly_searching(answer: Answer, stage: Stage, text: str) -> None:
    """Searches that cannot be probed, for reasons that hold the secret."""

    class Number:
        def __index__(self) -> int:
            raise ValueError(text)

    @ragvigil.retriever(filter="where", query="query", top_k="k", relevance=("lang",), documents=lambda found: found)
    def search(query: str, where: Any = None, k: Any = 2) -> list[object]:
        return [text]

    search(text, {"lang": text}, Number())
    search(text, {"lang": Unprintable(text), text: text})


def feeding_back(answer: Answer, stage: Stage, text: str) -> None:
    ragvigil.feedback("copy", answer=answer, feedback_id=text)
    ragvigil.feedback(text, answer=answer)  # type: ignore[arg-type]
    ragvigil.feedback("thumbs_down", answer=answer, reason=text)  # type: ignore[arg-type]
    ragvigil.feedback("dwell", answer=answer, value=text)  # type: ignore[arg-type]
    ragvigil.feedback("copy", token=text)


def linking(answer: Answer, stage: Stage, text: str) -> None:
    stage.add_link(SpanContext(1, 2, False), {"why": text, "all": [text, text]})


def of_status(answer: Answer, stage: Stage, text: str) -> None:
    stage.set_status(Status(StatusCode.ERROR, text))
    answer.set_status(StatusCode.ERROR, text)


def filtering(said: Callable[[str], object]) -> Place:
    def place(answer: Answer, stage: Stage, text: str) -> None:
        with ragvigil.stage("retrieve") as retrieve:
            retrieve.filter(said(text))

    return place


def identifying(answer: Answer, stage: Stage, text: str) -> None:
    stage.inputs([text])
    stage.outputs([text, 5], [0.5, None])
    stage.context([text])


def quoting(answer: Answer, stage: Stage, text: str) -> None:
    stage.inputs(["a"], texts=[text])
    stage.outputs(["a", "b"], texts=[text, None])


def on_answer(record: Callable[[Answer, str], object]) -> Place:
    return lambda answer, _, text: record(answer, text)


def on_stage(record: Callable[[Stage, str], object]) -> Place:
    return lambda _, stage, text: record(stage, text)


PLACES: dict[str, Place] = {
    "question": on_answer(lambda a, t: a.set(question=t)),
    "answer": on_answer(lambda a, t: a.set(answer=t)),
    "a question of another type": on_answer(lambda a, t: a.set(question=[t])),  # type: ignore[arg-type]
    "session": on_answer(lambda a, t: a.set(session_id=t)),
    "user": on_answer(lambda a, t: a.set(user_id=t)),
    "intent": on_answer(lambda a, t: a.set(intent=t)),
    "slice": on_answer(lambda a, t: a.slice("team", t)),
    "citations": on_answer(lambda a, t: a.set(citations=[t, t])),
    "query": on_stage(lambda s, t: s.set(query=t)),
    "input": on_stage(lambda s, t: s.set(input=t)),
    "output": on_stage(lambda s, t: s.set(output=t)),
    "a number that is none": on_stage(lambda s, t: s.set(top_k=t, cost_usd=Unprintable(t))),  # type: ignore[arg-type]
    "ids": identifying,
    "ids that fail": on_stage(lambda s, t: s.outputs([Unprintable(t)], [Unprintable(t)])),  # type: ignore[list-item]
    "texts": quoting,
    "attribute": on_stage(lambda s, t: s.set_attributes({"x": t, "y": [t, "b"], "z": t.encode()})),
    "attribute of an answer": on_answer(lambda a, t: a.set_attribute("x", t)),
    "attribute of a user": on_answer(lambda a, t: a.set_attributes({"user.id": t, "session.id": t})),
    "attributes in each other": on_stage(lambda s, t: s.set_attribute("x", [[t], [t.encode()]])),
    "event": on_stage(lambda s, t: s.add_event("chosen", {"why": t, "all": [t], "exception.message": t})),
    "link": linking,
    "status": of_status,
    "exception": raising,
    "recorded exception": on_stage(lambda s, t: s.record_exception(ValueError(t), {"why": t})),
    "exception of a decorated function": asking,
    "stream": streaming,
    "search": searching,
    "search that cannot be probed": badly_searching,
    "feedback": feeding_back,
    "vector": on_stage(lambda s, t: s.vector([t])),  # type: ignore[list-item]
    "relevance": filtering(lambda t: where(relevance(eq("lang", t)))),
    "relevance below others": filtering(lambda t: where(relevance(or_(not_(in_("a", [t, "b"])), prefix("c", t))))),
    "relevance in a range": filtering(lambda t: where(relevance(gt("a", t)), relevance(all_("b", [t])))),
    "entitlement": filtering(lambda t: where(entitlement(in_("tenant", [t])), eq("group", t), prefix("group", t))),
    "mapping": filtering(lambda t: {"tenant": t, "groups": [t]}),
    "opaque": filtering(lambda t: where(relevance(opaque("sql", t)))),
    "json": filtering(lambda t: json.dumps({"op": "opaque", "dialect": "neutral", "raw": t})),
    "unreadable": filtering(lambda t: {"must": [{"key": {t: t}}]}),
    "unreadable text": filtering(lambda t: f"tenant = {t}"),
    "raw": filtering(lambda t: Filter(None, raw=t)),
}
