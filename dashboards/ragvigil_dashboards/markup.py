"""HTML from text that may be hostile: whatever is not `Markup` is escaped, in one place."""

import html
import re
from collections.abc import Iterable

LONGEST_TEXT = 100_000
_UNSHOWABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


class Markup(str):
    """HTML that `tag` made; everything else is text."""

    __slots__ = ()


def tag(name: str, *children: str | None, **attributes: str | None) -> Markup:
    """One element; text children are escaped, None is left out. `class_` is written `class`, `data_x` `data-x`."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(visible(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{written}>{together(children)}</{name}>")


def together(parts: Iterable[str | None]) -> Markup:
    """The parts one after the other, escaped where they are text."""
    return Markup("".join(_escaped(part) for part in parts if part is not None))


def foreign(text: str, *, longest: int = LONGEST_TEXT) -> Markup:
    """Text that somebody else wrote: inert, its writing direction kept from its neighbours, cut at `longest`."""
    cut = text[:longest]
    rest = len(text) - len(cut)
    return tag("bdi", cut, f" … {rest:,} more characters" if rest else None, class_="foreign")


def table(head: Iterable[str], rows: Iterable[Iterable[str | None]], *, right: Iterable[int] = ()) -> Markup:
    """A table; the columns in `right` hold numbers and are aligned right."""
    aligned = frozenset(right)
    header = tag("tr", *(_cell("th", text, index in aligned) for index, text in enumerate(head)))
    body = (tag("tr", *(_cell("td", cell, index in aligned) for index, cell in enumerate(row))) for row in rows)
    return tag("div", tag("table", tag("thead", header), tag("tbody", *body)), class_="rv-table")


def visible(text: str) -> str:
    """Text without what no page can show: control characters and lone surrogates become U+FFFD."""
    return _UNSHOWABLE.sub("\ufffd", text)


def _cell(name: str, content: str | None, is_number: bool) -> Markup:
    return tag(name, content, class_="num" if is_number else None)


def _escaped(part: str) -> str:
    return part if isinstance(part, Markup) else html.escape(visible(part))
