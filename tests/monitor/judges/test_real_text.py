"""The lexical judge on real passages: what people asked about a passage, with the true answer, as claims about it.

Each claim is one question without its question mark and its short answer, so it is a paraphrase of the passage. An
answer has three of them. The evidence is the passage, or another one in the same language: of any topic, or of the
same topic, which is as hard as a retrieval that missed by a little.
"""

import gzip
import json
import os
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import rankdata

from ragvigil_monitor.judges.lexical import Lexical

FOLDER = Path(os.environ.get("RAGVIGIL_SHARED_DATA", Path(__file__).parents[4] / "shared/data"))
pytestmark = pytest.mark.skipif(
    not (FOLDER / "passages.jsonl.gz").exists(),
    reason=f"{FOLDER} holds no passages; RAGVIGIL_SHARED_DATA names the folder",
)
LANGUAGES = ("en", "de", "es")


@dataclass(frozen=True)
class Passage:
    title: str
    text: str
    answer: str


def read(name: str) -> list[dict[str, Any]]:
    with gzip.open(FOLDER / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def passages() -> dict[str, list[Passage]]:
    """By language: those that at least three questions are about."""
    claims: dict[tuple[str, str], list[str]] = defaultdict(list)
    for each in read("questions.jsonl.gz"):
        claims[each["gold_passage"], each["locale"]].append(f"{each['question'].strip('¿? ')}: {each['answer']}")
    found: dict[str, list[Passage]] = defaultdict(list)
    for each in read("passages.jsonl.gz"):
        about = claims[each["passage"], each["locale"]][:3]
        if len(about) == 3:
            found[each["locale"]].append(Passage(each["title"], each["text"], "\n".join(about)))
    return found


def score(answer: str, *evidence: Passage) -> float:
    found = Lexical().score(answer, [passage.text for passage in evidence]).score
    assert found is not None
    return found


def auc(true: list[float], false: list[float]) -> float:
    ranks = rankdata([*true, *false])[: len(true)]
    return float((ranks.sum() - len(true) * (len(true) + 1) / 2) / (len(true) * len(false)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_true_passage_is_told_from_any_other(passages: dict[str, list[Passage]], language: str) -> None:
    mine = passages[language]
    others = [mine[place] for place in np.random.default_rng(1).permutation(len(mine))]
    true = [score(each.answer, each) for each in mine]
    false = [score(each.answer, other) for each, other in zip(mine, others, strict=True) if other is not each]
    print(
        f"{language}: AUC {auc(true, false):.3f}, mean {np.mean(true):.3f} against {np.mean(false):.3f}, n {len(mine)}"
    )
    assert auc(true, false) >= 0.98
    assert np.mean(true) >= 0.7
    assert np.mean(false) <= 0.02


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_true_passage_is_told_from_those_of_the_same_topic(
    passages: dict[str, list[Passage]], language: str
) -> None:
    by_title: dict[str, list[Passage]] = defaultdict(list)
    for each in passages[language]:
        by_title[each.title].append(each)
    groups = [group for group in by_title.values() if len(group) > 1]
    true = [score(each.answer, each) for group in groups for each in group]
    false = [score(each.answer, *(other for other in group if other is not each)) for group in groups for each in group]
    print(
        f"{language}: AUC {auc(true, false):.3f}, mean {np.mean(true):.3f} against {np.mean(false):.3f}, n {len(true)}"
    )
    assert auc(true, false) >= 0.93
    assert np.mean(false) <= 0.2
