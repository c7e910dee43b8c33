import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.judges.words import STEM_LENGTH, folded, pieces


def of(text: str) -> list[str]:
    return list(pieces(folded(text)))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Straße", "STRASSE"),
        ("Größe", "Grosse"),
        ("niño", "NINO"),
        ("ＡＢＣ", "abc"),
        ("Ёлка", "елка"),
        ("שָׁלוֹם", "שלום"),
        ("كِتَاب", "كتاب"),
        ("١٢٣", "123"),
        ("รับ๒ปี", "รับ 2 ปี"),
        ("साल३साल", "साल 3 साल"),
        ("1,000,000", "1.000.000"),
        ("1,000", "1000"),
        ("2.5", "2,50"),
        ("3.0", "3"),
        ("reset-button", "Reset (button)"),
        ("returned", "returning"),
        ("soft\u00adware", "software"),
        ("한국어", "한국어".encode().decode()),
    ],
)
def test_spellings_of_the_same_are_the_same(one: str, other: str) -> None:
    assert of(one) == of(other) != []


@pytest.mark.parametrize(
    ("one", "other"), [("2.5", "25"), ("2.5", "2.6"), ("1000", "100"), ("हाथ", "हाथी"), ("a", "b")]
)
def test_different_things_stay_different(one: str, other: str) -> None:
    assert of(one) != of(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("保修期两年", ["保修", "修期", "期两", "两年"]),
        ("本", ["本"]),
        ("テスト", ["テス", "スト"]),
        ("รองเท้า", ["รอ", "อง", "งเ", "เท", "ท้", "้า"]),
        ("신발은", ["신발", "발은"]),
        ("MacBookを買う", ["macboo", "を買", "買う"]),
        ("210g", ["210", "g"]),
        ("01.05.2026", ["01", "05", "2026"]),
        ("दो साल", ["दो", "साल"]),
    ],
)
def test_each_script_has_its_pieces(text: str, expected: list[str]) -> None:
    assert of(text) == expected


@given(st.text(st.characters(max_codepoint=sys.maxunicode, exclude_categories=()), max_size=3000))
def test_any_text_has_short_pieces_that_do_not_depend_on_case(text: str) -> None:
    found = of(text)
    assert all(piece for piece in found)
    assert all(len(piece) <= STEM_LENGTH for piece in found if not piece[0].isdigit())
    assert set(of(f"{text} {text}")) >= set(found)
