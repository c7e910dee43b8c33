"""The base of every group of settings."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Hours = Annotated[int, Field(ge=1, le=24 * 28)]


class Section(BaseModel):
    """Base of a group of settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    def is_starting_value(self, setting: str) -> bool:
        """Whether nobody has set it, so that what counts is the value that Ragvigil ships."""
        return setting not in self.model_fields_set
