import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.demo.rewriter import rewrite


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Please explain loads from the json module.", "explain loads from the json module."),
        ("pls give me an overview of the re module", "give me an overview of the re module"),
        ("Show me how heapq.merge is used, please.", "Show me how heapq.merge is used,"),
        ("Which args does os.walk take?", "Which arguments does os.walk take?"),
        ("What is builtins.str.join good for?", "What is builtins.str.join good for?"),
        ("", ""),
    ],
)
def test_rewrites(question: str, expected: str) -> None:
    assert rewrite(question) == expected


@given(st.text())
def test_takes_any_text_and_leaves_nothing_to_do(question: str) -> None:
    once = rewrite(question)
    assert once == once.strip()
    assert rewrite(once) == once


@given(st.lists(st.sampled_from(["please", "args", "str", "dir", "os.walk", "func", "builtins.str", "Pls,", "?"])))
def test_abbreviations_are_spelled_out_wherever_they_stand_alone(said: list[str]) -> None:
    rewritten = rewrite(" ".join(said)).split()
    assert not {"please", "Pls,", "args", "str", "dir", "func"} & set(rewritten)
    assert rewritten.count("builtins.str") == said.count("builtins.str")
