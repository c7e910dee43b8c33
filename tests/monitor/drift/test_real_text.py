"""Power on real queries: TF-IDF and SVD vectors of what people asked an assistant, with a season, and a new topic.

Such vectors know topics by their words, so the new topic is one intent; a whole domain is too diffuse for them.
"""

import gzip
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

from ragvigil_monitor.drift.evidence import compare
from ragvigil_monitor.drift.sample import Sample
from ragvigil_monitor.service import Service
from ragvigil_monitor.store import Store

DATA = Path(os.environ.get("RAGVIGIL_SHARED_DATA", Path(__file__).parents[4] / "shared/data")) / "intents.jsonl.gz"
NEW = "flight_status"
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is absent; RAGVIGIL_SHARED_DATA names the folder"),
]


@dataclass(frozen=True)
class Texts:
    """topics: of each query. vectors: 64 numbers each."""

    topics: NDArray[np.object_]
    vectors: NDArray[np.float64]

    def draw(self, wanted: NDArray[np.object_], rng: np.random.Generator) -> NDArray[np.float64]:
        """A random query about each of these topics."""
        places = np.empty(len(wanted), dtype=np.intp)
        for topic in np.unique(wanted):
            where = wanted == topic
            places[where] = rng.choice(np.flatnonzero(self.topics == topic), where.sum())
        return self.vectors[places]


@pytest.fixture(scope="module")
def texts() -> Texts:
    """Every query whose vector is not zero."""
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    topics = [row["intent"] if row["intent"] == NEW else row["domain"] for row in rows]
    weighted = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english").fit_transform(
        [row["text"] for row in rows]
    )
    vectors = TruncatedSVD(64, random_state=0).fit_transform(weighted)
    kept = np.linalg.norm(vectors, axis=1) > 1e-3
    return Texts(np.array(topics, dtype=np.object_)[kept], vectors[kept])


def asked(
    after_h: NDArray[np.float64], rng: np.random.Generator, *, new_from_h: float, new: float
) -> NDArray[np.object_]:
    """The topic of each query: banking and work by day, kitchen and home by night and on weekends, wandering daily."""
    day_domains = np.array(["banking", "credit_cards", "work", "utility", "meta"], dtype=np.object_)
    free_domains = np.array(["kitchen_and_dining", "home", "small_talk", "auto_and_commute"], dtype=np.object_)
    shift = rng.normal(0, 0.05, int(after_h[-1] // 24) + 1)[(after_h // 24).astype(int)]
    by_day = (after_h % 24 >= 8) & (after_h % 24 < 18) & (after_h % 168 < 120)
    working = rng.random(len(after_h)) < np.where(by_day, 0.75, 0.35) + shift
    topics = np.where(working, rng.choice(day_domains, len(after_h)), rng.choice(free_domains, len(after_h)))
    topics[(after_h >= new_from_h) & (rng.random(len(after_h)) < new)] = NEW
    return topics


def test_a_new_topic_with_a_tenth_of_real_queries_is_found_within_a_day(
    texts: Texts,
    memory_store: Store,
    make_service: Callable[..., Service],
    add_vectors: Callable[..., None],
    run_drift: Callable[..., dict[str, int]],
    monday: datetime,
) -> None:
    new_h, rng = 24 * 21 + 4, np.random.default_rng(0)
    after_h = np.sort(rng.uniform(0, new_h + 30, 30 * (new_h + 30)))
    topics = asked(after_h, rng, new_from_h=new_h, new=0.1)
    add_vectors(after_h, texts.draw(topics, rng), intents=topics.tolist())
    service = make_service(
        schedule={"lateness_s": 0},
        alarms={"false_alarms_per_week": 0.5},
        guardrails={"query_drift": {"reference_weeks": 2}},
    )
    run_drift(service, new_h + 30)
    alerts = memory_store.rows("alerts_newest", states=["firing", "resolved"], limit=10)
    opened = {alert["series"]: alert["opened_at"] - monday for alert in alerts}
    assert timedelta(hours=new_h) < opened["novelty"] <= timedelta(hours=new_h + 24)
    assert all(f"The intent {NEW} adds" in alert["sentence"] for alert in alerts)


def test_the_permutation_test_finds_a_tenth_of_a_new_topic_and_nothing_without_one(texts: Texts) -> None:
    rng = np.random.default_rng(1)
    found = [comparison_p(texts, rng, new=new) for new in (0.1,) * 10 + (0.0,) * 40]
    assert sum(p <= 0.01 for p in found[:10]) >= 9
    assert sum(p <= 0.05 for p in found[10:]) <= 6


def comparison_p(texts: Texts, rng: np.random.Generator, *, new: float) -> float:
    def sample(count: int, share: float) -> Sample:
        after_h = np.sort(rng.uniform(0, 24, count))
        topics = asked(after_h, np.random.default_rng(7), new_from_h=0, new=share)
        vectors = texts.draw(topics, rng)
        unit = vectors / np.linalg.norm(vectors, axis=1)[:, None]
        order = rng.permutation(count)
        return Sample(unit[order], after_h[order].astype(np.int64) + 96, topics[order], topics[order])

    found = compare(sample(1_000, 0.0), sample(400, new))
    assert found is not None
    return found.p
