"""The documents: docstrings of the running Python's standard library, real text on every machine."""

import importlib
import inspect
import pkgutil
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from types import ModuleType

MINIMUM_CHARACTERS = 80
"""Shorter docstrings say little more than the name."""
MOST_CHARACTERS = 1000
"""Longer docstrings are cut at the end of a line: a passage, as other systems index them."""

NOT_IMPORTED = frozenset(
    {
        *("antigravity", "this", "turtle", "turtledemo", "tkinter", "idlelib", "curses", "readline"),
        *("rlcompleter", "pty", "site", "test", "lib2to3", "distutils", "ensurepip", "encodings"),
        *("msilib", "msvcrt", "nt", "winreg", "winsound", "windows_events", "windows_utils"),
        *("popen_spawn_win32", "pydoc_data", "sre_compile", "sre_constants", "sre_parse", "imp"),
        *("aifc", "asynchat", "asyncore", "audioop", "cgi", "cgitb", "chunk", "crypt", "imghdr", "mailcap"),
        *("nis", "nntplib", "ossaudiodev", "pipes", "smtpd", "sndhdr", "spwd", "sunau", "telnetlib", "uu"),
        *("xdrlib", "gnu", "ndbm"),
    }
)
"""Names with side effects, for other systems, or gone in later versions: their import would say nothing or too much."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One documented thing; `id` is its qualified name."""

    id: str
    text: str
    package: str
    module: str
    kind: str

    @property
    def name(self) -> str:
        """The last part of the id."""
        return self.id.rpartition(".")[2]

    @property
    def indexed_text(self) -> str:
        """What is searched: the id and the text."""
        return f"{self.id} {self.text}"

    @property
    def summary(self) -> str:
        """The first paragraph of the text, on one line."""
        return " ".join(self.text.split("\n\n", 1)[0].split())


def read_corpus() -> tuple[Entry, ...]:
    """Every public module, class, method and function with a docstring of its own, sorted by id."""
    first_with_text: dict[str, Entry] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        for entry in chain.from_iterable(_entries(module) for module in _modules()):
            first_with_text.setdefault(entry.text, entry)
    return tuple(sorted({entry.id: entry for entry in first_with_text.values()}.values(), key=lambda entry: entry.id))


def _modules() -> Iterator[ModuleType]:
    for name in sorted(sys.stdlib_module_names):
        if _is_wanted(name):
            yield from _with_submodules(name)


def _with_submodules(name: str) -> Iterator[ModuleType]:
    module = _import(name)
    if module is None:
        return
    yield module
    inside = sorted(found.name for found in pkgutil.iter_modules(getattr(module, "__path__", ())))
    for child in filter(_is_wanted, inside):
        yield from _with_submodules(f"{name}.{child}")


def _is_wanted(name: str) -> bool:
    return not name.startswith("_") and name not in NOT_IMPORTED


def _import(name: str) -> ModuleType | None:
    """The module; None where this Python was built without it."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def _entries(module: ModuleType) -> Iterator[Entry]:
    yield from _entry(module, module.__name__, "module", module)
    for name, member in sorted(vars(module).items()):
        if not name.startswith("_") and _is_defined_in(module, name, member):
            yield from _member_entries(module, f"{module.__name__}.{name}", member)


def _member_entries(module: ModuleType, name: str, member: object) -> Iterator[Entry]:
    if not inspect.isclass(member):
        yield from _entry(module, name, "function", member)
        return
    yield from _entry(module, name, "class", member)
    for method_name, method in sorted(vars(member).items()):
        if not method_name.startswith("_") and callable(getattr(member, method_name, None)):
            yield from _entry(module, f"{name}.{method_name}", "method", getattr(method, "__func__", method))


def _is_defined_in(module: ModuleType, name: str, member: object) -> bool:
    """Whether this is where the member belongs: C accelerators (`_io`) publish through `__all__`."""
    if not (inspect.isclass(member) or inspect.isroutine(member)):
        return False
    home = getattr(member, "__module__", None) or ""
    return home == module.__name__ or (home.startswith("_") and name in getattr(module, "__all__", ()))


def _entry(module: ModuleType, name: str, kind: str, documented: object) -> Iterator[Entry]:
    """None or one: only what has enough to say."""
    text = _passage(inspect.cleandoc(getattr(documented, "__doc__", None) or ""))
    if len(text) >= MINIMUM_CHARACTERS:
        yield Entry(name, text, module.__name__.partition(".")[0], module.__name__, kind)


def _passage(text: str) -> str:
    """The beginning of a text, whole lines."""
    if len(text) <= MOST_CHARACTERS:
        return text
    return text[: max(text.rfind("\n", 0, MOST_CHARACTERS + 1), 0) or MOST_CHARACTERS].rstrip()
