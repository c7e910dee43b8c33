"""A judge that needs nothing: the share of an answer's claims whose words stand in the evidence, in any language.

A claim with the distinct pieces W (see `words`) is covered by evidence with the pieces E if all numbers of W are in E
and Σ |w|² [w ∈ E] / Σ |w|² >= 0.6 over w ∈ W. |w| is the length of a piece: what says little is short in every language
(Zipf's law of abbreviation), so no list of stop words is needed. The score is the number of covered claims over the
number of claims with at least one piece: precision as in ROUGE-1, claim by claim.

What it cannot see: a negation, an exchanged subject, a number written as a word, a paraphrase in other words or in
another language than the evidence. It calls a good paraphrase unsupported more often than the reverse: see
docs/guardrails.md for what was measured on real passages in three languages.

Source: Lin, ROUGE: a package for automatic evaluation of summaries, ACL workshop 2004; Zipf, Human behavior and the
principle of least effort, 1949; claims counted as in Es et al., RAGAS, EACL 2024.
"""

from collections.abc import Sequence, Set
from typing import Final

from ragvigil_monitor.judges.claims import claims
from ragvigil_monitor.judges.judge import Judgement, Unscorable
from ragvigil_monitor.judges.words import folded, pieces

ENOUGH: Final = 0.6
"""Share of a claim that the evidence must cover, weighted by squared length."""


class Lexical:
    """Counts covered claims; the same texts always have the same score."""

    name = "lexical"
    version = "1"

    def score(self, answer: str, evidence: Sequence[str]) -> Judgement:
        """The share of covered claims; `no_claim` where no sentence but questions has a word.

        >>> Lexical().score("The box is blue [1]. It weighs 3 kg.", ["Blue box, weighs 5 kg."])
        Judgement(score=0.5, reason=None)
        """
        asserted = [found for claim in claims(answer) if (found := set(pieces(folded(claim))))]
        if not asserted:
            return Judgement(reason=Unscorable.NO_CLAIM)
        given = {piece for text in evidence for piece in pieces(folded(text))}
        return Judgement(sum(is_covered(claim, given) for claim in asserted) / len(asserted))


def is_covered(claim: Set[str], given: Set[str]) -> bool:
    """Whether evidence with the pieces `given` carries a claim with these pieces, of which there is at least one."""
    absent = claim - given
    if any(piece[0].isdigit() for piece in absent):
        return False
    return _weight(absent) <= (1 - ENOUGH) * _weight(claim)


def _weight(found: Set[str]) -> int:
    return sum(len(piece) ** 2 for piece in found)
