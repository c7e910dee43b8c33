"""Read by the type checkers only: a decorated function keeps its parameters, its result and its kind."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Coroutine, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Generic, Self, TypeVar, assert_type

import ragvigil

T = TypeVar("T")


class Searcher(Generic[T]):
    """Methods of every kind."""

    def __init__(self, documents: list[T]) -> None:
        self.documents = documents

    @ragvigil.pipeline
    def answer(self, question: str, *, limit: int = 3) -> list[T]:
        return self.documents[: limit * len(question)]

    @ragvigil.stage("embed")
    async def embed(self, *texts: str) -> list[list[float]]:
        return [[float(len(text))] for text in texts]

    @ragvigil.retriever(query="query", top_k="k")
    def search(self, query: str, k: int = 10) -> list[T]:
        return self.documents[: k * len(query)]

    @ragvigil.stage("generate")
    def stream(self, prompt: str) -> Generator[str, bool, int]:
        yield prompt
        return 1

    @ragvigil.pipeline("chat", intent="chat")
    async def chat(self, question: str) -> AsyncGenerator[str, None]:
        yield question

    @classmethod
    @ragvigil.pipeline
    def of(cls, *documents: T) -> Self:
        return cls(list(documents))

    @staticmethod
    @ragvigil.stage("rewrite", kind="TOOL")
    def rewrite(text: str, /, **options: bool) -> str:
        return text if options else text.lower()


async def methods(searcher: Searcher[int]) -> None:
    assert_type(searcher.answer("why?", limit=2), list[int])
    searcher.answer("why?", 2)  # type: ignore[call-arg]
    searcher.answer(question=5)  # type: ignore[arg-type]
    assert_type(await searcher.embed("a", "b"), list[list[float]])
    await searcher.embed(1)  # type: ignore[arg-type]
    assert_type(searcher.search("files", k=3), list[int])
    searcher.search(k=3)  # type: ignore[call-arg]
    assert_type(searcher.stream("prompt"), Generator[str, bool, int])
    async for part in searcher.chat("why?"):
        assert_type(part, str)
    assert_type(searcher.chat("why?"), AsyncGenerator[str, None])
    assert_type(Searcher[str].of("a", "b"), Searcher[str])
    assert_type(Searcher.rewrite("A", strict=True), str)
    Searcher.rewrite("A", strict="yes")  # type: ignore[arg-type]
    Searcher.rewrite()  # type: ignore[call-arg]


async def coroutine(question: str) -> bytes:
    return question.encode()


def items(question: str) -> Iterator[str]:
    yield question


async def async_items(question: str) -> AsyncIterator[str]:
    yield question


async def functions() -> None:
    asked: Coroutine[Any, Any, bytes] = ragvigil.pipeline(coroutine)("why?")
    assert_type(await asked, bytes)
    assert_type(ragvigil.stage("s")(items)("why?"), Iterator[str])
    assert_type(ragvigil.pipeline("p")(async_items)("why?"), AsyncIterator[str])
    assert_type(ragvigil.retriever(items)("why?"), Iterator[str])
    assert_type(ragvigil.stage("s")(str.upper)("why?"), str)
    callback: Callable[[str], bytes] = ragvigil.stage("encode")(lambda text: text.encode())
    assert_type(callback("why?"), bytes)


def threads() -> None:
    carried = ragvigil.carry(_repeated)
    assert_type(carried("a", times=2), list[str])
    carried("a", count=2)  # type: ignore[call-arg]
    with ThreadPoolExecutor() as pool:
        assert_type(pool.submit(ragvigil.carry(_repeated), "a", times=2).result(), list[str])
        pool.submit(ragvigil.carry(_repeated), 5)  # type: ignore[arg-type]
        assert_type(list(pool.map(ragvigil.carry(_repeated), ["a", "b"])), list[list[str]])


def _repeated(value: str, times: int = 1) -> list[str]:
    return [value] * times
