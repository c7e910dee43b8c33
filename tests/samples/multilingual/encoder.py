"""An encoder across languages that needs no download: latent semantic indexing of parallel texts.

A topic in all its languages is one training text; a word and its translation then point in the same direction, and a
question finds passages in other languages (Dumais, Letsche, Littman and Landauer 1997).
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from tests.samples.multilingual.corpus import Passage

Vectors = NDArray[np.float32]


class CrossLingualEncoder:
    """TF-IDF over character n-grams, projected onto the principal directions of the topics; unit vectors."""

    def __init__(self, passages: Sequence[Passage], dimension: int = 200) -> None:
        parallel: defaultdict[str, list[str]] = defaultdict(list)
        for passage in passages:
            parallel[passage.topic].append(passage.text)
        self.dimension = min(dimension, len(parallel))
        self._tfidf = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
        topics = self._tfidf.fit_transform([" ".join(texts) for texts in parallel.values()])
        self._by_ngram = topics.T.tocsr()
        # The singular value decomposition by way of the small matrix of products: few topics, very many n-grams.
        squares, directions = np.linalg.eigh((topics @ self._by_ngram).toarray())
        self._directions = directions[:, -self.dimension :] / np.sqrt(squares[-self.dimension :])

    def encode(self, texts: Sequence[str]) -> Vectors:
        """One row a text; all zero for one without a known n-gram."""
        rows = (self._tfidf.transform(texts) @ self._by_ngram) @ self._directions
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.maximum(norms, np.finfo(np.float64).tiny), dtype=np.float32)
