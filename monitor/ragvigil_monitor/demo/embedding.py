"""The encoder: TF-IDF and a truncated SVD, fitted once on the corpus; no download and no model file."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from ragvigil_monitor.demo.words import words

DIMENSION = 96
MODEL = "tfidf-svd-96"

Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True, repr=False)
class Encoder:
    """Text to a unit vector.

    `rows` is the SVD's transposed `components_`, each row already times the word's idf: a query gathers the rows of
    its own words (microseconds) where scikit-learn's `transform` multiplies sparse matrices (2 ms).
    """

    row_of: dict[str, int]
    rows: NDArray[np.float32]
    idf: NDArray[np.float64]

    @classmethod
    def fit(cls, texts: Sequence[str], *, seed: int = 0) -> Self:
        """Learn vocabulary, weights and directions from `texts`, at least 96 different ones."""
        tfidf = TfidfVectorizer(analyzer=words, sublinear_tf=True, min_df=2)
        weighted = tfidf.fit_transform(texts)
        svd = TruncatedSVD(DIMENSION, n_iter=4, random_state=seed).fit(weighted)
        rows = svd.components_.T * tfidf.idf_[:, np.newaxis]
        return cls(dict(tfidf.vocabulary_), rows.astype(np.float32), tfidf.idf_)

    def encode(self, text: str) -> Vector:
        """The unit vector of a text; all zero when it has no known word."""
        counts = Counter(self.row_of[word] for word in words(text) if word in self.row_of)
        if not counts:
            return np.zeros(DIMENSION, dtype=np.float32)
        weights = 1 + np.log(np.fromiter(counts.values(), dtype=np.float32))
        vector: Vector = weights @ self.rows[list(counts)]
        return vector / np.float32(max(np.linalg.norm(vector), np.finfo(np.float32).tiny))

    def encode_all(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row a text."""
        return np.stack([self.encode(text) for text in texts])

    def weight(self, word: str) -> float:
        """How telling a word is: its idf, or the largest one for a word that the corpus does not know."""
        row = self.row_of.get(word)
        return float(self.idf.max() if row is None else self.idf[row])
