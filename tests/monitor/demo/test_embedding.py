import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from ragvigil_monitor.demo.corpus import Entry
from ragvigil_monitor.demo.embedding import DIMENSION, Encoder
from ragvigil_monitor.demo.words import words


def test_gathered_rows_equal_what_scikit_learn_transforms(corpus: tuple[Entry, ...], encoder: Encoder) -> None:
    texts = [entry.indexed_text for entry in corpus]
    tfidf = TfidfVectorizer(analyzer=words, sublinear_tf=True, min_df=2)
    svd = TruncatedSVD(DIMENSION, n_iter=4, random_state=0).fit(tfidf.fit_transform(texts))
    questions = ["How do I parse a JSON document?", "median of the data data data", corpus[100].text]
    expected = svd.transform(tfidf.transform(questions))
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    np.testing.assert_allclose(encoder.encode_all(questions), expected, atol=1e-5)


def test_the_same_seed_gives_the_same_encoder(corpus: tuple[Entry, ...], encoder: Encoder) -> None:
    again = Encoder.fit([entry.indexed_text for entry in corpus])
    np.testing.assert_array_equal(again.rows, encoder.rows)


def test_finds_the_entry_that_a_question_is_about(corpus: tuple[Entry, ...], encoder: Encoder) -> None:
    vectors = encoder.encode_all([entry.indexed_text for entry in corpus])
    asked = corpus[::15]
    found = [np.argsort(vectors @ encoder.encode(f"{e.name} {e.summary}"))[-20:] for e in asked]
    hits = [corpus.index(entry) in best for entry, best in zip(asked, found, strict=True)]
    assert np.mean(hits) > 0.9


def test_unknown_words_give_a_zero_vector_and_the_largest_weight(encoder: Encoder) -> None:
    assert not encoder.encode("qwxyz").any()
    assert encoder.weight("qwxyz") == encoder.idf.max()


@given(text=st.text())
def test_every_vector_is_finite_and_a_unit_or_zero(encoder: Encoder, text: str) -> None:
    vector = encoder.encode(text)
    assert vector.shape == (DIMENSION,)
    assert vector.dtype == np.float32
    norm = float(np.linalg.norm(vector))
    assert norm == 0 or abs(norm - 1) < 1e-4
