"""How long what is stored stays."""

from pydantic import Field, PositiveInt

from ragvigil_monitor.settings.section import Section


class Retention(Section):
    """Days after which data goes, or later where other settings need it longer and nothing is said here.

    Labels, what was reviewed with its spans, and markers stay for ever.
    """

    enabled: bool = Field(True, description="Whether anything is ever removed.")
    spans_days: PositiveInt = Field(30, description="Days that spans and log events stay.")
    vectors_days: PositiveInt = Field(35, description="Days that query vectors stay.")
    answers_days: PositiveInt = Field(
        400, description="Days that answers, feedback, scores, estimates, closed alerts and counts stay."
    )
