"""Settings of the blind review."""

from pydantic import Field, SecretStr

from ragvigil_monitor.settings.section import Hours, Section


class Review(Section):
    """Which answers and retrievals people review, and how they are served."""

    uniform_share: float = Field(0.02, gt=0, le=1, description="Share of all answers that is drawn, whatever they are.")
    minimum_per_week: int = Field(50, ge=0, description="At low traffic at least so many answers a week are drawn.")
    low_confidence_below: float = Field(0.5, ge=0, le=1, description="Confidence below which an answer is unsure.")
    low_confidence_share: float = Field(0.1, ge=0, le=1, description="Share of unsure answers that is drawn besides.")
    thumbs_down_share: float = Field(0.5, ge=0, le=1, description="Share of disliked answers that is drawn besides.")
    probe_share: float = Field(1.0, ge=0, le=1, description="Share of probed retrievals that is drawn for relevance.")
    unfiltered_share: float = Field(
        0.01, ge=0, le=1, description="Share of retrievals without a relevance clause that is drawn for relevance."
    )
    uniform_serving_share: float = Field(
        0.6, ge=0.5, le=1, description="Share of a day's reviews of answers that the uniform draw gets first."
    )
    matures_h: Hours = Field(24, description="Hours after which an answer is drawn or not, when its feedback is in.")
    relevance_matures_h: Hours = Field(
        1, description="Hours after its answer at which a retrieval is drawn or not, when its probe is in."
    )
    open_days: int = Field(7, ge=1, le=90, description="Days that a drawn item waits for a reviewer.")
    lease_min: int = Field(30, ge=1, le=1440, description="Minutes that a reviewer has for an item.")
    second_label_share: float = Field(
        0.1, ge=0, le=1, description="Share of answers that two reviewers label, beside all in which one found a fault."
    )
    salt: SecretStr | None = Field(
        None,
        min_length=16,
        description="Secret of the draw, 16 characters or more; null: derived from the admin key. Never for reviewers.",
    )
