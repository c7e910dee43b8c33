"""Settings of the service itself: where it listens, stores, when it works, what alarms share, who is told."""

from datetime import date
from pathlib import Path
from typing import Self

from pydantic import Field, PositiveFloat, PositiveInt, SecretStr, model_validator

from ragvigil_monitor.settings.section import Hours, Section


class Server(Section):
    """Where `ragvigil serve` listens and what it accepts."""

    host: str = Field("127.0.0.1", description="Address to listen on; only loopback accepts telemetry without a key.")
    port: int = Field(4318, ge=0, le=65535, description="Port for telemetry and API; 0 picks a free one.")
    max_body_bytes: PositiveInt = Field(32 * 2**20, description="Largest request body, after decompression too.")
    max_waiting_requests: PositiveInt = Field(256, description="Requests waiting for a commit before 503 is answered.")
    max_waiting_bytes: PositiveInt = Field(
        64 * 2**20, description="Their bodies together, as sent and decompressed, before 503 is answered."
    )
    body_timeout_s: PositiveFloat = Field(30.0, le=3600, description="How long a request body may take to arrive.")

    @model_validator(mode="after")
    def _have_room_for_the_largest(self) -> Self:
        if self.max_waiting_bytes < 2 * self.max_body_bytes:
            raise ValueError(
                f"max_waiting_bytes must be {2 * self.max_body_bytes} or more, twice max_body_bytes: "
                "the largest body is held as sent and decompressed"
            )
        return self


class StoreSettings(Section):
    """Where the data lives."""

    path: Path = Field(Path("ragvigil.duckdb"), description="The database file; one process owns it.")
    memory_limit: str = Field("1GB", pattern=r"^\d+(\.\d+)?\s?[KMGT]i?B$", description="Memory DuckDB may use.")
    threads: int = Field(2, ge=1, le=64, description="Threads DuckDB may use for one query.")
    stop_free_bytes: int = Field(
        128 * 2**20,
        ge=0,
        description="Free disk space below which nothing is stored, lest a full disk harm what is there.",
    )
    warn_free_bytes: int = Field(2**30, ge=0, description="Free disk space below which people are told.")
    snapshot_directory: Path | None = Field(
        None, description="Where a backup lies while it is made; null: beside the database."
    )


class Spool(Section):
    """Where applications leave telemetry while they do not reach the service."""

    directory: Path | None = Field(
        None, description="Directory that applications on this machine give as `spool_dir`; null: none is read."
    )
    poll_s: float = Field(5.0, ge=0.1, le=3600, description="How often it is looked into.")


class Collector(Section):
    """Where an OpenTelemetry Collector leaves telemetry in files."""

    directory: Path | None = Field(
        None, description="Directory that the file exporter of a Collector writes to; null: none is read."
    )
    poll_s: float = Field(5.0, ge=0.1, le=3600, description="How often it is looked into.")
    delete_rotated: bool = Field(
        False, description="Whether files that the Collector has finished, and that are stored whole, are deleted."
    )


class Schedule(Section):
    """When jobs run."""

    tick_s: float = Field(15.0, ge=0, le=3600, description="How often due jobs are looked for; 0: only on request.")
    lateness_s: float = Field(120.0, ge=0, description="How long after its end a window is judged.")
    catch_up_days: PositiveInt = Field(
        45, description="How far back a job that was never run starts, at most as far as spans stay."
    )


class Alarms(Section):
    """What all guardrails share."""

    false_alarms_per_week: PositiveFloat = Field(1.0, le=100, description="Budget over all guardrails together.")
    rearm_h: Hours = Field(6, description="Hours in control after which an alert is resolved.")
    days_off: list[date] = Field([], description="Days (UTC) with the traffic of a weekend, for rates with a season.")


class Webhook(Section):
    """Where alerts are sent as signed JSON."""

    url: str = Field(
        pattern=r"^https?://", examples=["https://example.org/hook"], description="Address that receives POST requests."
    )
    secret: SecretStr = Field(
        min_length=16,
        examples=["at least 16 characters"],
        description="Key of the HMAC-SHA256 signature; better set by environment.",
    )
    timeout_s: float = Field(10.0, gt=0, le=60, description="How long one attempt may take.")
    max_attempts: int = Field(12, ge=1, le=100, description="Attempts before a delivery is given up and shown.")


class Notify(Section):
    """Who is told."""

    webhook: Webhook | None = Field(None, description="One generic webhook.")
