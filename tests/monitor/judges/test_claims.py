import pytest

from ragvigil_monitor.judges.claims import claims


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The box is blue. It weighs 3 kg.", ["The box is blue.", "It weighs 3 kg."]),
        ("It costs 2.50 USD. Pay now!", ["It costs 2.50 USD.", "Pay now!"]),
        ("Die Jacke wiegt 210 g. Sie ist blau.", ["Die Jacke wiegt 210 g.", "Sie ist blau."]),
        ("Das gilt z. B. für Schuhe.", ["Das gilt z. B. für Schuhe."]),
        ("See www.example.org/a?b=1 for more.", ["See www.example.org/a?b=1 for more."]),
        ("保修期为两年。请保留盒子。", ["保修期为两年。", "请保留盒子。"]),
        ("वारंटी दो साल की है। डिब्बा रखें।", ["वारंटी दो साल की है।", "डिब्बा रखें।"]),
        ("1. Open Orders\n2) Choose the item\n- Print", ["Open Orders", "Choose the item", "Print"]),
    ],
    ids=["two", "decimal", "unit", "abbreviation", "address", "han", "danda", "list"],
)
def test_a_claim_is_a_sentence(answer: str, expected: list[str]) -> None:
    assert [claim.strip() for claim in claims(answer) if claim.strip()] == expected


@pytest.mark.parametrize("question", ["What do you mean?", "¿Qué quiere decir?", "您是什么意思？", "ماذا تقصد؟"])
def test_a_question_claims_nothing(question: str) -> None:
    assert not "".join(claims(question)).strip()
    assert "".join(claims(f"It is blue. {question} It is big.")).split() == ["It", "is", "blue.", "It", "is", "big."]


MARKS = [
    "[1]",
    "[1, 2]",
    "[1-3]",
    "[^2]",
    "[returns-004]",
    "[a/b.md#c; d:1]",
    "[3](https://a.org/x)",
    "【4†source】",
    "²³",
]


@pytest.mark.parametrize("mark", MARKS)
def test_citation_marks_are_no_words(mark: str) -> None:
    assert "".join(claims(f"Keep the box {mark}. It is blue.{mark}")) == "Keep the box. It is blue."


def test_the_words_of_a_link_stay_and_its_target_goes() -> None:
    assert "".join(claims("Open [your orders](https://example.org/orders/17) now")).split() == [
        "Open",
        "your",
        "orders",
        "now",
    ]
