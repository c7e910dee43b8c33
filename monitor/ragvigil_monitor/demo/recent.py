"""A small cache: what was asked for most recently."""

from collections import OrderedDict
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """Text to value; when full it forgets the text that was not asked for longest."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[str, Value] = OrderedDict()

    def get(self, text: str) -> Value | None:
        """The value that was kept for a text."""
        if text in self._values:
            self._values.move_to_end(text)
        return self._values.get(text)

    def put(self, text: str, value: Value) -> None:
        """Keep a value."""
        self._values[text] = value
        self._values.move_to_end(text)
        if len(self._values) > self._size:
            self._values.popitem(last=False)
