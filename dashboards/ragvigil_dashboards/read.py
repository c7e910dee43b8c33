"""What everything that pages read has in common."""

from pydantic import BaseModel, ConfigDict


class Read(BaseModel):
    """Base: immutable, tolerant of fields that a newer service adds."""

    model_config = ConfigDict(frozen=True, extra="ignore")
