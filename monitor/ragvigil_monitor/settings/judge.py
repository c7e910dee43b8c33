"""Settings of the judge that scores answers."""

from typing import Literal

from pydantic import Field, PositiveInt

from ragvigil_monitor.settings.section import Section


class JudgeSettings(Section):
    """Which judge scores how many answers."""

    name: Literal["lexical"] = Field(
        "lexical", description="The judge; `lexical` compares words and needs no model, no network and no key."
    )
    share: float = Field(0.1, gt=0, le=1, description="Share of all answers that is scored, whatever they are.")
    minimum_per_week: int = Field(300, ge=0, description="At low traffic at least so many answers a week are scored.")
    most_per_hour: PositiveInt = Field(
        1000, description="At high traffic the share is lowered to about so many answers an hour."
    )
    cut: float = Field(
        0.85, gt=0, le=1, description="Score below which the judge is taken to say `not fully supported`."
    )
