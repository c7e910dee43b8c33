import doctest
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragvigil_monitor.judges import lexical
from ragvigil_monitor.judges.judge import Judgement, Unscorable
from ragvigil_monitor.judges.lexical import Lexical

WORKED = Path(__file__).parents[4] / "shared/data/worked_examples.json"
ENGLISH = ["Shoes bought on sale can be returned within 30 days.", "The warranty is two years; keep the original box."]
GERMAN = ["Reduzierte Schuhe können innerhalb von 30 Tagen zurückgegeben werden.", "Die Garantie beträgt zwei Jahre."]
SPANISH = ["Los zapatos rebajados se pueden devolver en 30 días.", "La garantía es de dos años; guarde la caja."]
CHINESE = ["打折的鞋子可以在30天内退货。", "保修期为两年，请保留原装盒子。"]
ARABIC = ["يمكن إرجاع الأحذية المخفضة خلال 30 يوما.", "الضمان سنتان، احتفظ بالعلبة الأصلية."]
BENCH = [
    (ENGLISH, "You can return shoes bought on sale within 30 days [1]. Keep the box.", 1.0),
    (ENGLISH, "Shoes on sale can be returned within 30 days. Refunds are paid to your bank account on Mondays.", 0.5),
    (ENGLISH, "Gift cards expire after a decade.", 0.0),
    (ENGLISH, "Shoes bought on sale can be returned within 60 days.", 0.0),
    (ENGLISH, "Which shoes do you mean?", None),
    (
        GERMAN,
        "Schuhe, die reduziert waren, können innerhalb von 30 Tagen zurückgegeben werden. Garantie: zwei Jahre.",
        1.0,
    ),
    (GERMAN, "Die Garantie beträgt zwei Jahre. Gutscheine verfallen niemals.", 0.5),
    (GERMAN, "Gutscheine verfallen niemals.", 0.0),
    (GERMAN, "Reduzierte Schuhe können innerhalb von 14 Tagen zurückgegeben werden.", 0.0),
    (GERMAN, "Welche Schuhe meinen Sie?", None),
    (SPANISH, "Puede devolver zapatos rebajados en 30 días. La garantía es de dos años.", 1.0),
    (SPANISH, "La garantía es de dos años. Las tarjetas de regalo nunca caducan.", 0.5),
    (SPANISH, "Las tarjetas de regalo nunca caducan.", 0.0),
    (SPANISH, "Los zapatos rebajados se pueden devolver en 90 días.", 0.0),
    (SPANISH, "¿Qué zapatos?", None),
    (CHINESE, "打折的鞋子30天内可以退货【1†来源】。保修期为两年。", 1.0),
    (CHINESE, "保修期为两年。礼品卡永远不会过期。", 0.5),
    (CHINESE, "礼品卡永远不会过期。", 0.0),
    (CHINESE, "打折的鞋子可以在60天内退货。", 0.0),
    (CHINESE, "您是指哪双鞋？", None),
    (ARABIC, "يمكن إرجاع الأحذية المخفضة خلال ٣٠ يوما. الضمان سنتان.", 1.0),
    (ARABIC, "الضمان سنتان. بطاقات الهدايا لا تنتهي أبدا.", 0.5),
    (ARABIC, "بطاقات الهدايا لا تنتهي أبدا.", 0.0),
    (ARABIC, "يمكن إرجاع الأحذية المخفضة خلال 60 يوما.", 0.0),
    (ARABIC, "أي حذاء تقصد؟", None),
]
"""Evidence, an answer, and the share of its claims that the evidence carries: supported, partly, unsupported, a changed
number, no claim."""


def test_the_examples_of_the_documentation_run() -> None:
    assert doctest.testmod(lexical).failed == 0


@pytest.mark.parametrize(("evidence", "answer", "expected"), BENCH, ids=range(len(BENCH)))
def test_answers_in_five_languages_are_scored_as_a_person_would(
    evidence: list[str], answer: str, expected: float | None
) -> None:
    found = Lexical().score(answer, evidence)
    assert found.score == expected
    assert found.reason == (Unscorable.NO_CLAIM if expected is None else None)


@pytest.mark.skipif(not WORKED.exists(), reason="the worked examples are not here")
def test_the_worked_example_of_faithfulness() -> None:
    worked = json.loads(WORKED.read_text(encoding="utf-8"))
    expected = worked["faithfulness"]
    supported = [f"Part {letter} is made of {letter * 5}metal." for letter in "abc"]
    others = ["Nobody ever measured its temperature."] * (expected["extracted"] - expected["supported"])
    assert Lexical().score(" ".join(supported + others), supported).score == expected["expect_score"]
    assert Lexical().score("", supported).score == worked["no_claims"]["expect_score"]


@pytest.mark.parametrize("answer", ["", " \n\t", "...!!!", "🙂🙂", "---", "\u200b", "?", "\ud800", "[1] [2]", "\x00"])
def test_without_a_word_nothing_is_claimed(answer: str) -> None:
    assert Lexical().score(answer, ENGLISH) == Judgement(reason=Unscorable.NO_CLAIM)


@pytest.mark.parametrize("evidence", [[], [""], ["...", "\ud800"]])
def test_evidence_without_words_carries_nothing(evidence: list[str]) -> None:
    assert Lexical().score("The box is blue.", evidence).score == 0.0


LONG = 20_000
HOSTILE = {
    "spaces": " " * LONG,
    "full stops": "aaa. " * (LONG // 5),
    "exclamations": "!" * LONG + "x",
    "open brackets": "[" * LONG,
    "half citations": "[1," * (LONG // 3),
    "half names": "[a," * (LONG // 3),
    "half links": "[a](" * (LONG // 4),
    "half marks": "【1" * (LONG // 2),
    "lines": "\n" * LONG,
    "accents": "a" + "\u0301\u0316" * (LONG // 2),
    "virama": "क" + "\u094d\u093c" * (LONG // 2),
    "one number": "1" * LONG,
    "one word": "a" * LONG,
    "han": "中文" * (LONG // 2),
    "surrogates": "\ud800" * LONG,
    "gap": "aaa." + " " * LONG + "b",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.timeout(60)
def test_hostile_text_is_read_in_linear_time_and_carries_itself(text: str) -> None:
    """Quadratic time would be minutes."""
    many = text * 5
    assert Lexical().score(many, [many]).score in (1.0, None)


@given(st.text(max_size=200), st.lists(st.text(max_size=200), max_size=4))
def test_a_score_is_a_number_from_0_to_1_and_more_evidence_never_lowers_it(answer: str, evidence: list[str]) -> None:
    some, more = (Lexical().score(answer, given) for given in (evidence[:2], evidence))
    assert (some.reason, more.reason) in ((None, None), (Unscorable.NO_CLAIM, Unscorable.NO_CLAIM))
    if some.score is not None and more.score is not None:
        assert 0 <= some.score <= more.score <= 1


@given(st.text(min_size=1, max_size=300))
@example("0²")
@example("1[2]3")
@example("1[a](b)2")
@example("1[a]2")
def test_every_text_carries_itself(text: str) -> None:
    assert Lexical().score(text, [text]).score in (1.0, None)


@pytest.mark.parametrize(
    ("score", "reason"), [(None, None), (0.5, Unscorable.REFUSAL), (float("nan"), None), (1.01, None), (-0.1, None)]
)
def test_a_judgement_is_a_score_in_range_or_a_reason(score: float | None, reason: Unscorable | None) -> None:
    with pytest.raises(ValueError, match="score"):
        Judgement(score, reason)
