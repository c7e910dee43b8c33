"""One object that records: its class and all else stay as they are, and what cannot be recorded is told."""

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import ragvigil
from ragvigil.integrations.instrumented import instrumented, late
from ragvigil.integrations.payloads import flat, text_of
from ragvigil.integrations.requests import Parameters, named_fields

Spans = Callable[[], list[Any]]


@dataclass(frozen=True)
class Doubling:
    """Records nothing and doubles."""

    factor: int = 2

    def names(self) -> tuple[str, ...]:
        return ("find", "missing")

    def recording(self, plain: type, name: str) -> Callable[..., Any]:
        method = late(plain, name)
        return lambda *arguments: self.factor * method(*arguments)


class Plain:
    """Finds."""

    def __init__(self, found: int) -> None:
        self.found = found

    def find(self) -> int:
        return self.found


class Child(Plain):
    """Finds more, by what its parent finds."""

    def find(self) -> int:
        return 1 + super().find()


class Slotted:
    """Has no room for a class between."""

    __slots__ = ("__weakref__",)

    def find(self) -> int:
        return 1


class Silent:
    """Has nothing that searches."""


class Reducing(Plain):
    """Knows best how it is pickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (Reducing, (self.found + 1,))


def test_only_this_object_changes() -> None:
    one, other = Plain(3), Plain(3)
    assert instrumented(one, Doubling()) is one
    assert (one.find(), other.find()) == (6, 3)
    assert isinstance(one, Plain)
    assert (type(one).__name__, type(one).__qualname__, type(one).__module__) == ("Plain", "Plain", __name__)
    assert vars(one) == {"found": 3}


def test_super_still_works() -> None:
    assert instrumented(Child(3), Doubling()).find() == 8


def test_again_is_anew_and_not_on_top() -> None:
    one = instrumented(instrumented(Plain(3), Doubling()), Doubling(5))
    assert one.find() == 15


def test_equal_adapters_share_a_class() -> None:
    assert type(instrumented(Plain(1), Doubling(9))) is type(instrumented(Plain(2), Doubling(9)))


def test_classes_made_in_large_numbers_are_not_kept() -> None:
    from ragvigil.integrations.instrumented import _recording_class

    for factor in range(1000):
        instrumented(Plain(1), Doubling(factor))
    info = _recording_class.cache_info()
    assert info.currsize == info.maxsize


class Remade(Plain):
    """Is made again by its class."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (self.__class__, (self.found,))


class Named(Plain):
    """Takes arguments by name before it is made."""

    def __new__(cls, found: int = 0) -> "Named":
        assert found >= 0
        return super().__new__(cls)

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return (), {"found": self.found}


class Positional(Named):
    """Takes them by position."""

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.found,)


class Unhashable(Plain):
    """Is made by a function of something that has no hash."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (made_of, ([self.found],))


def made_of(found: list[int]) -> Unhashable:
    return Unhashable(*found)


@pytest.mark.parametrize("kind", [Plain, Child, Remade, Named, Positional])
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_keeps_recording(protocol: int, kind: type[Plain]) -> None:
    original = instrumented(kind(3), Doubling())
    for copied in (
        pickle.loads(pickle.dumps(original, protocol)),  # noqa: S301 - our own bytes
        copy.copy(original),
        copy.deepcopy(original),
    ):
        assert copied.find() == original.find() == 2 * kind(3).find()
        assert isinstance(copied, kind)


def test_what_is_made_by_a_function_is_left_to_it() -> None:
    copied = pickle.loads(pickle.dumps(instrumented(Unhashable(3), Doubling())))  # noqa: S301 - our own bytes
    assert (type(copied), copied.find()) == (Unhashable, 3)


def test_a_method_that_is_patched_later_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    one = instrumented(Plain(3), Doubling(7))
    with monkeypatch.context() as patched:
        patched.setattr(Plain, "find", lambda _: 100)
        assert one.find() == 700
        during = instrumented(Plain(3), Doubling(7))
    assert (one.find(), during.find(), instrumented(Plain(3), Doubling(7)).find()) == (21, 21, 21)
    assert type(instrumented(Plain(3), Doubling(7))) is type(one)


async def test_an_async_method_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    class Waiting:
        """Finds after a while."""

        async def find(self) -> int:
            return 1

    assert inspect.iscoroutinefunction(late(Waiting, "find"))
    assert await late(Waiting, "find")(Waiting()) == 1


def test_an_object_that_pickles_itself_is_asked() -> None:
    copied = pickle.loads(pickle.dumps(instrumented(Reducing(3), Doubling())))  # noqa: S301 - our own bytes
    assert (type(copied), copied.found) == (Reducing, 4)


@pytest.mark.parametrize("instance", [Slotted(), Silent(), 5, object()], ids=["slots", "nothing", "number", "object"])
def test_what_cannot_be_instrumented_stays_as_it_is_and_is_told(instance: object, caplog: Any) -> None:
    before = type(instance)
    assert instrumented(instance, Doubling()) is instance
    assert type(instance) is before
    assert "cannot be instrumented" in caplog.text


def test_fields_as_one_text_are_refused() -> None:
    with pytest.raises(TypeError, match="relevance: got the text 'lang'; expected a list or tuple of fields"):
        named_fields("lang")
    assert named_fields(name for name in ["a", "b"]) == ("a", "b")


def test_parameters_that_a_method_does_not_have_are_none(caplog: Any) -> None:
    parameters = Parameters(Plain.find, "self", "where")
    assert parameters.of((5,), {}) == {"self": 5, "where": None}
    with pytest.raises(KeyError):
        parameters.replaced((5,), {}, {"where": 1})
    assert caplog.text == ""


def test_payloads_are_addressed_by_paths() -> None:
    payload = {"a": {"b": {"c": 1}}, "x.y": 2, "z": [1]}
    assert flat(payload) == {"a": {"b": {"c": 1}}, "a.b": {"c": 1}, "a.b.c": 1, "z": [1]}
    assert flat(None) == flat(5) == {}
    assert (text_of(payload, "a.b.c"), text_of(payload, None), text_of(None, "a")) == (1, None, None)


def test_a_payload_of_any_depth_is_read_to_a_limit() -> None:
    deep: dict[str, Any] = {}
    deep["a"] = deep
    assert len(flat(deep)) == 9


def test_nothing_is_recorded_of_an_object_that_cannot_be(spans: Spans) -> None:
    with ragvigil.pipeline("ask"):
        instrumented(Silent(), Doubling())
    assert len(spans()) == 1
