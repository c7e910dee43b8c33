"""Settings of the guardrails, one section each."""

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, PositiveInt

from ragvigil_monitor.settings.section import Hours, Section

Share = Annotated[float, Field(gt=0, lt=1)]


class LatencyP95(Section):
    """p95 latency of answers and stages against an SLO."""

    enabled: bool = Field(True, description="Whether this guardrail watches.")
    slo_ms: dict[str, PositiveFloat] = Field({"answer": 1500.0}, description="SLO by stage; `answer` is the whole.")
    windows_h: list[Hours] = Field([1, 24], min_length=1, description="Trailing windows, in hours.")
    every_s: int = Field(900, ge=60, le=86400, description="Seconds between two looks.")


class CostPerQuery(Section):
    """Cost of an answer against a budget, in USD."""

    enabled: bool = Field(True, description="Whether this guardrail watches.")
    budget_usd: dict[Literal["mean", "p50", "p99"], PositiveFloat] = Field(
        {}, description="Budget for the mean, the median and the 99th percentile; empty: shown, not guarded."
    )
    windows_h: list[Hours] = Field([24], min_length=1, description="Trailing windows, in hours.")
    every_s: int = Field(3600, ge=60, le=86400, description="Seconds between two looks.")


class QueryDrift(Section):
    """What is asked, against the season of the weeks that a reference was learnt from."""

    enabled: bool = Field(True, description="Whether this guardrail watches.")
    reference_weeks: int = Field(4, ge=2, le=12, description="Weeks of query vectors that a reference is learnt from.")
    baseline: PositiveInt = Field(
        1,
        description="Version of the reference; raise it to accept today's traffic: the newest weeks become a new one.",
    )
    every_s: int = Field(3600, ge=3600, le=86400, multiple_of=3600, description="Seconds between two looks.")

    @property
    def windows_h(self) -> list[int]:
        """The one trailing window that references are calibrated for."""
        return [24]


class FalseExclusion(Section):
    """How often relevance clauses keep out all evidence, among reviewed retrievals, against a limit."""

    enabled: bool = Field(True, description="Whether this guardrail watches.")
    limits: dict[Literal["all", "filtered"], Share] = Field(
        {"all": 0.02},
        description="Limit over `all` retrievals with evidence, and for `filtered` ones; without: shown, not guarded.",
    )
    windows_h: list[Hours] = Field([168, 672], min_length=1, description="Trailing windows, in hours.")
    every_s: int = Field(86400, ge=3600, le=604800, multiple_of=3600, description="Seconds between two looks.")
    review_delay_h: int = Field(
        24,
        ge=1,
        le=24 * 14,
        description="Hours that reviewers have for the retrievals of a window before it is judged.",
    )

    @property
    def limit_of(self) -> dict[str, float]:
        """The limit by series."""
        return {str(series): limit for series, limit in self.limits.items()}


class RateBand(Section):
    """A rate against the band that its own history leads to expect."""

    enabled: bool = Field(True, description="Whether this guardrail watches.")
    windows_h: list[Annotated[int, Field(ge=1, le=24)]] = Field(
        [1, 6, 24], min_length=1, description="Trailing windows, in hours."
    )
    every_s: int = Field(3600, ge=3600, le=86400, multiple_of=3600, description="Seconds between two looks.")
    intents: list[str] = Field(
        [], max_length=19, description="Intents that are watched beside all answers; empty: those with most answers."
    )
    most_intents: int = Field(5, ge=0, le=19, description="How many intents are watched where none is listed.")
    least_share: float = Field(0.05, ge=0, le=1, description="Share of the answers that such an intent needs.")


class RateShown(RateBand):
    """A rate that is only shown unless somebody wants to be paged for it."""

    enabled: bool = Field(False, description="Whether this guardrail watches; else the rate is only shown.")
    windows_h: list[Annotated[int, Field(ge=1, le=24)]] = Field(
        [24], min_length=1, description="Trailing windows, in hours."
    )
    most_intents: int = Field(0, ge=0, le=19, description="How many intents are watched where none is listed.")


class Faithfulness(Section):
    """How far answers are carried by their evidence, as the judge scores a sample of them."""

    enabled: bool = Field(True, description="Whether this guardrail watches.")
    limit: float = Field(0.85, gt=0, le=1, description="Mean score below which it is a breach.")
    windows_h: list[Hours] = Field([24, 168], min_length=1, description="Trailing windows, in hours.")
    every_s: int = Field(3600, ge=3600, le=86400, multiple_of=3600, description="Seconds between two looks.")


class Guardrails(Section):
    """The guardrails, one section each."""

    latency_p95: LatencyP95 = Field(LatencyP95(), description="p95 latency by stage.")
    cost_per_query: CostPerQuery = Field(CostPerQuery(), description="Cost per answer.")
    false_exclusion: FalseExclusion = Field(FalseExclusion(), description="Evidence that relevance filters keep out.")
    query_drift: QueryDrift = Field(QueryDrift(), description="Drift of what is asked.")
    regeneration_rate: RateBand = Field(RateBand(), description="Share of the answers that users asked for again.")
    thumbs_down_rate: RateShown = Field(RateShown(), description="Share of the answers with a thumbs-down.")
    refusal_rate: RateShown = Field(RateShown(), description="Share of the answers that say they cannot answer.")
    faithfulness: Faithfulness = Field(Faithfulness(), description="Mean score that the judge gives to answers.")
