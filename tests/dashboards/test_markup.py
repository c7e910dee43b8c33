"""Hostile text stays text."""

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_dashboards.markup import LONGEST_TEXT, Markup, foreign, table, tag, together, visible

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "[click](javascript:alert(1))",
    "</bdi></td></table><h1>mine</h1>",
    "\u202egnp.exe\u202c",
    "👩‍👩‍👧‍👦 é ﷽",
    "&lt;b&gt; &amp;",
    "a\x00b\x1b[31m",
]


class Reading(HTMLParser):
    """What a browser would make of it: elements and text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.attributes |= dict(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def read(markup: str) -> Reading:
    reading = Reading()
    reading.feed(markup)
    reading.close()
    return reading


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_text_makes_no_elements_of_its_own(text: str) -> None:
    reading = read(foreign(text))
    assert reading.elements == ["bdi"]
    assert reading.text == visible(text)


@given(st.text())
def test_any_text_comes_out_as_it_went_in(text: str) -> None:
    reading = read(tag("p", text))
    assert reading.elements == ["p"]
    assert reading.text == visible(text)


@given(st.text())
def test_any_text_is_safe_in_an_attribute(text: str) -> None:
    reading = read(tag("p", "x", title=text))
    assert reading.elements == ["p"]
    assert reading.attributes == {"title": visible(text)}


@given(st.text(st.characters(codec=None)))
def test_whatever_is_shown_can_be_encoded(text: str) -> None:
    foreign(text).encode()


def test_markup_is_kept_and_text_beside_it_escaped() -> None:
    assert together([tag("b", "1 < 2"), " & ", None]) == "<b>1 &lt; 2</b> &amp; "


def test_joining_markup_with_text_loses_its_trust() -> None:
    joined = tag("b", "x") + "<i>"
    assert not isinstance(joined, Markup)
    assert tag("p", joined) == "<p>&lt;b&gt;x&lt;/b&gt;&lt;i&gt;</p>"


def test_attributes_of_none_are_left_out_and_reserved_words_written_plainly() -> None:
    assert tag("a", "x", class_="c", data_id="1", title=None) == '<a class="c" data-id="1">x</a>'


def test_very_long_text_is_cut_and_says_so() -> None:
    reading = read(foreign("x" * (LONGEST_TEXT + 2000)))
    assert reading.text.endswith("x … 2,000 more characters")


def test_number_columns_are_marked() -> None:
    markup = table(["Name", "Items"], [["a", "1"], ["<b>", None]], right=[1])
    assert markup.count('class="num"') == 3
    assert "<td>&lt;b&gt;</td>" in markup
