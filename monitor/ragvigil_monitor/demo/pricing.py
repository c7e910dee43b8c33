"""What stages cost, in USD: real token counts at a provider's list prices."""

from dataclasses import dataclass, replace
from random import Random
from typing import Self

MODEL = "demo-writer-1"
PROVIDER = "demo"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one model call."""

    input_tokens: int
    output_tokens: int


@dataclass(frozen=True, slots=True)
class Prices:
    """USD for a million tokens, and for one reranked document."""

    input_usd: float = 1.0
    output_usd: float = 5.0
    embedding_usd: float = 0.1
    reranked_usd: float = 1e-5

    def raised(self, factor: float) -> Self:
        """All prices times `factor`."""
        return replace(
            self,
            input_usd=self.input_usd * factor,
            output_usd=self.output_usd * factor,
            embedding_usd=self.embedding_usd * factor,
            reranked_usd=self.reranked_usd * factor,
        )

    def generation(self, usage: Usage) -> float:
        """One call of the writing model."""
        return (usage.input_tokens * self.input_usd + usage.output_tokens * self.output_usd) / 1e6

    def embedding(self, tokens: int) -> float:
        """One embedded text."""
        return tokens * self.embedding_usd / 1e6

    def reranking(self, documents: int) -> float:
        """One reranked list."""
        return documents * self.reranked_usd


def count_tokens(text: str) -> int:
    """About how many tokens a text has: four characters each."""
    return len(text) // 4 + 1


def thinking_tokens(rng: Random) -> int:
    """Tokens that the model spends before it writes: lognormal, median 160."""
    return round(rng.lognormvariate(5.075, 0.6))
