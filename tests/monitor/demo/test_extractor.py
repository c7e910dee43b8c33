import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragvigil.predicates import Leaf, evaluate
from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.dice import dice
from ragvigil_monitor.demo.extractor import Extractor
from ragvigil_monitor.demo.library import metadata
from ragvigil_monitor.demo.parts import Parts


@pytest.fixture(scope="module")
def extractor(corpus: tuple[Entry, ...]) -> Extractor:
    return Extractor.knowing(corpus)


def said(extractor: Extractor, question: str) -> dict[str, object]:
    leaves = [clause.predicate for clause in extractor.extract(question)]
    return {leaf.field: leaf.value for leaf in leaves if isinstance(leaf, Leaf)}


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does the function loads do in the json module?", {"package": "json", "kind": "function"}),
        ("How do I read rows with csv?", {"package": "csv"}),
        ("explain Queue from the asyncio module.", {"package": "asyncio"}),
        ("Which arguments can I pass to the method date.today of datetime?", {"package": "datetime", "kind": "method"}),
        ("What is the email.message module for?", {"module": "email.message"}),
        ("When does loads in the json module raise JSONDecodeError?", {"package": "json"}),
        ("What is json.loads good for?", {}),
        ("Return a copy of the list with headers", {}),
        ("What is the pandas module for?", {}),
        ("", {}),
    ],
)
def test_reads_what_is_said_in_so_many_words(extractor: Extractor, question: str, expected: dict[str, object]) -> None:
    assert said(extractor, question) == expected


@given(st.text())
def test_every_clause_is_relevance_by_rule(extractor: Extractor, question: str) -> None:
    for clause in extractor.extract(question):
        assert (clause.role, clause.origin) == ("relevance", "rule")


def test_hardly_ever_excludes_what_the_question_is_about(corpus: tuple[Entry, ...], healthy: Parts) -> None:
    entries = {entry.id: entry for entry in corpus}
    asked = [healthy.questioner.ask(dice(number), lambda _: True) for number in range(3000)]
    filtered = [(question, clauses) for question in asked if (clauses := healthy.extract(question.text))]
    excluded = [
        question
        for question, clauses in filtered
        if not all(evaluate(clause.predicate, metadata(entries[question.about[0]])) for clause in clauses)
    ]
    assert len(filtered) > 1000
    assert len(excluded) < 0.01 * len(filtered)
