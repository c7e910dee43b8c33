"""Answers: the span around everything that is done for one question."""

from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar, Unpack, cast, overload

from opentelemetry.context import Context, get_current

from ragvigil import current
from ragvigil.arguments import Argument, first_text
from ragvigil.context import CURRENT_RECORDED
from ragvigil.documents import copied
from ragvigil.feedback_event import AnswerReference, FeedbackError
from ragvigil.fields import AnswerFields
from ragvigil.guard import GUARD
from ragvigil.observation import Arguments, Keywords, Observation
from ragvigil.opentrace import OpenTrace
from ragvigil.rare import Rare
from ragvigil.span import RecordedSpan
from ragvigil.stages import Stage
from ragvigil.tokens import TOKEN_PREFIX
from ragvigil.wrapping import wrap

_MAX_SLICES: Final = 32
_DEFAULT_NAME: Final = "answer"
_SHARED: Final = frozenset(RecordedSpan.__slots__) - {"_token", "end_ns", "name", "taken", "tell_rest"}
"""What two views of one answer have in common."""
P = ParamSpec("P")
R = TypeVar("R")


class Answer(RecordedSpan):
    """One answer to one question, made by the stages below it.

    A context manager, sync and async, for one use. None of its methods raises. The first answer that begins directly
    below one that `is_adoptable` is the same answer, not a part of it: it is a `view` of that one, is asked to
    `tell_rest` when that one ends first, and takes no facts afterwards. One that `is_withdrawn` turned out to be none
    and is recorded as a mere span.
    """

    __slots__ = ("_intent", "_is_named", "_is_same_as_outer", "_question", "is_adoptable", "is_withdrawn", "view")

    def __init__(self, name: str | None, question: str | None = None, intent: str | None = None) -> None:
        super().__init__(name or _DEFAULT_NAME)
        self._is_named = name is not None
        self._question = question
        self._intent = intent
        self._is_same_as_outer = False
        self.view: Answer | None = None
        self.tell_rest = None
        self.is_adoptable = False
        self.is_withdrawn = False
        if intent is not None:
            self.fields["intent"] = intent

    def start(self, context: Context) -> None:
        """Begin below what is current in `context`, or become another view of the answer that waits there for one."""
        outer = context.get(CURRENT_RECORDED)
        if isinstance(outer, Answer) and outer.is_adoptable and outer.is_recording() and self.trace is None:
            self._become(outer)
        else:
            super().start(context)

    def _become(self, outer: "Answer") -> None:
        outer.is_adoptable, self._is_same_as_outer = False, True
        outer.fields.update(self.fields)
        outer.rare = outer.rare or Rare()
        outer.set_attributes({} if self.rare is None else self.rare.attributes)
        for shared in _SHARED:
            setattr(self, shared, getattr(outer, shared))
        outer.view = self
        if outer.end_ns is not None:
            self.end_ns = outer.end_ns

    def _end(self, trace: OpenTrace, end_ns: int) -> None:
        view, self.view = self.view, None
        if view is not None and view.end_ns is None:
            with GUARD:
                if view.tell_rest is not None:
                    view.tell_rest()
            view.end_ns = end_ns
        if self._is_same_as_outer:
            self.end_ns = end_ns
        else:
            super()._end(trace, end_ns)

    @property
    def id(self) -> str:
        """Unique id of the answer, made of trace and span id; '' when nothing is recorded."""
        return "" if self.trace is None else f"{self.trace_number:032x}-{self.span_id:016x}"

    @property
    def reference(self) -> AnswerReference | None:
        """What names the answer in tokens and feedback; None when nothing is recorded."""
        if self.trace is None:
            return None
        trace_id, span_id = f"{self.trace_number:032x}", f"{self.span_id:016x}"
        return AnswerReference(trace_id, span_id, f"{trace_id}-{span_id}", self.trace.anchor_ns + self.start_ns)

    def token(self) -> str | None:
        """Signed text that names the answer to `ragvigil.feedback`; show it to your client, who cannot forge one.

        None when nothing is recorded, and without `configure(secret_key=...)`, which is told once and counted.
        """
        with GUARD:
            recorder, reference = current.recorder, self.reference
            return None if recorder is None or reference is None else recorder.token_of(reference)
        return None

    def nearest_answer(self) -> "Answer":
        """This one: what is below belongs to it."""
        return self

    def set(self, **facts: Unpack[AnswerFields]) -> None:
        """Record facts; the last one counts. Citations are document ids, best first; confidence is in [0, 1].

        `regeneration_of` is the id of the answer that this one replaces, or its token.
        """
        fields = self.fields
        try:
            if self._takes_facts():
                citations = facts.pop("citations", None)
                fields.update(facts)
                if facts.get("regeneration_of") is not None:
                    fields["regeneration_of"] = _replaced(facts["regeneration_of"])
                if citations is not None:
                    fields["citations"] = copied(citations).ids
        except Exception as own_failure:  # noqa: BLE001 - the guard, written out on a hot path
            GUARD.caught(own_failure)

    def slice(self, name: str, value: str) -> None:
        """Put the answer into a slice of traffic, for example ("team", "data")."""
        fields = self.fields
        with GUARD:
            if self._takes_facts():
                slices = cast("dict[str, str]", fields.get("slices", {}))
                if len(slices) < _MAX_SLICES:
                    fields["slices"] = {**slices, name: value}

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Make every call of `function` an answer: its question argument in, its text out."""
        name = self.name if self._is_named else getattr(function, "__name__", _DEFAULT_NAME)
        intent = self._intent
        question = first_text if self._question is None else Argument(function, self._question).of

        def record_question(answer: Answer, arguments: Arguments, keywords: Keywords) -> None:
            asked = question(arguments, keywords)
            answer.set(question=asked if isinstance(asked, str) else None)

        return wrap(function, Observation(lambda: Answer(name, intent=intent), record_question, _record_text))


@overload
def pipeline(name: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def pipeline(name: str | None = None, /, *, question: str | None = None, intent: str | None = None) -> Answer: ...
def pipeline(
    name: str | Callable[P, R] | None = None, /, *, question: str | None = None, intent: str | None = None
) -> Answer | Callable[P, R]:
    """Mark where an answer begins and ends.

    As `@pipeline` or `@pipeline("ask", question="text")` around a function (sync, async, generator, async
    generator): its first str argument, or the one named by `question`, is the question, a str it returns or yields
    is the answer; without a name it bears that of the function. As `with pipeline("ask") as answer:` both are told
    by `answer.set`.
    """
    if name is None or isinstance(name, str):
        return Answer(name, question, intent)
    return Answer(None)(name)


def current_answer() -> Answer:
    """The answer that is being made; where there is none, one that records nothing.

    It follows `await`, `create_task`, `gather` and `to_thread`. A plain thread or `ThreadPoolExecutor` starts without
    it: submit `carry(function)`.
    """
    nearest = get_current().get(CURRENT_RECORDED)
    answer = nearest.nearest_answer() if isinstance(nearest, RecordedSpan) else None
    return Answer(None) if answer is None else answer


def token() -> str | None:
    """The token of the answer that is being made, see `Answer.token`; None where there is none."""
    return current_answer().token()


def current_stage() -> Stage:
    """The innermost stage; where there is none, one that records nothing."""
    nearest = get_current().get(CURRENT_RECORDED)
    if isinstance(nearest, Stage):
        return nearest
    nothing = Stage("")
    if isinstance(nearest, RecordedSpan) and nearest.is_left_out:
        nothing.leave_out()
    return nothing


def _replaced(named: object) -> object:
    """The answer id that an id or a token names; for a token that is not ours the error, which cannot be recorded."""
    recorder = current.recorder
    if recorder is None or not (isinstance(named, str) and named.startswith(TOKEN_PREFIX)):
        return named
    try:
        return recorder.answer_of(named).answer_id
    except FeedbackError as refused:
        GUARD.report(f"regeneration_of is not recorded, {refused}")
        return refused


def _record_text(answer: Answer, result: object) -> None:
    if isinstance(result, str) and answer.fields.get("answer") is None:
        answer.set(answer=result)
