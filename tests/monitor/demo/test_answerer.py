import re

from hypothesis import given
from hypothesis import strategies as st

from ragvigil_monitor.demo.answerer import MINIMUM_SUPPORT, REFUSAL, SENTENCES
from ragvigil_monitor.demo.context import Context, assemble
from ragvigil_monitor.demo.index import Hit
from ragvigil_monitor.demo.library import Library
from ragvigil_monitor.demo.parts import Parts


def context_of(library: Library, *names: str) -> Context:
    return assemble([Hit(name, 1.0, "", {}) for name in names], library.entries)


def test_quotes_the_sentence_that_answers_and_cites_its_document(library: Library, healthy: Parts) -> None:
    context = context_of(library, "statistics.median_low", "json.loads")
    reply = healthy.answerer.answer("How do I deserialize a JSON document to a Python object?", context)
    assert not reply.refused
    assert reply.citations[0] == "json.loads"
    assert reply.text.startswith("Deserialize")
    assert "[1]" in reply.text


def test_refuses_without_support(library: Library, healthy: Parts) -> None:
    reply = healthy.answerer.answer("When is the museum in Oslo open?", context_of(library, "json.loads"))
    assert (reply.text, reply.citations, reply.refused) == (REFUSAL, (), True)


def test_refuses_without_context(healthy: Parts) -> None:
    reply = healthy.answerer.answer("json", Context((), 0, truncated=False))
    assert reply.refused
    assert reply.support == 0


def test_a_question_without_words_is_refused(library: Library, healthy: Parts) -> None:
    assert healthy.answerer.answer("?", context_of(library, "json.loads")).refused


@given(data=st.data())
def test_says_nothing_that_no_cited_document_says(library: Library, healthy: Parts, data: st.DataObject) -> None:
    names = data.draw(st.lists(st.sampled_from(list(library.entries)), min_size=1, max_size=6, unique=True))
    question = f"{library.entries[names[0]].summary} {data.draw(st.text(max_size=20))}"
    reply = healthy.answerer.answer(question, context_of(library, *names))
    assert 0 <= reply.support <= 1 + 1e-9
    assert reply.refused == (reply.support < MINIMUM_SUPPORT or not reply.citations)
    if reply.refused:
        return
    assert len(reply.citations) <= SENTENCES
    for said, number in re.findall(r"(.+?) \[(\d)\](?: |$)", reply.text):
        source = library.entries[reply.citations[int(number) - 1]]
        assert " ".join(said.split()) in " ".join(source.text.split())
