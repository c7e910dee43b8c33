"""Every setting of the monitor: read once, checked at once, frozen.

Order of precedence: arguments, environment (`RAGVIGIL_SERVER__PORT=4319`), the YAML file, the defaults here.
"""

from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal, Self, TypeVar

import yaml
from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, SecretStr, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    YamlConfigSettingsSource,
)

from ragvigil_monitor.errors import ConfigurationError

Hours = Annotated[int, Field(ge=1, le=24 * 28)]


class Section(BaseModel):
    """Base of a group of settings."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Server(Section):
    """Where `ragvigil serve` listens and what it accepts."""

    host: str = Field("127.0.0.1", description="Address to listen on; only loopback accepts telemetry without a key.")
    port: int = Field(4318, ge=0, le=65535, description="Port for telemetry and API; 0 picks a free one.")
    max_body_bytes: PositiveInt = Field(32 * 2**20, description="Largest request body, after decompression too.")
    max_waiting_requests: PositiveInt = Field(256, description="Requests waiting for a commit before 503 is answered.")


class StoreSettings(Section):
    """Where the data lives."""

    path: Path = Field(Path("ragvigil.duckdb"), description="The database file; one process owns it.")
    memory_limit: str = Field("1GB", pattern=r"^\d+(\.\d+)?\s?[KMGT]i?B$", description="Memory DuckDB may use.")
    threads: int = Field(2, ge=1, le=64, description="Threads DuckDB may use for one query.")


class Schedule(Section):
    """When jobs run."""

    tick_s: float = Field(15.0, ge=0, le=3600, description="How often due jobs are looked for; 0: only on request.")
    lateness_s: float = Field(120.0, ge=0, description="How long after its end a window is judged.")
    catch_up_days: PositiveInt = Field(45, description="How far back a job that was never run starts.")


class Alarms(Section):
    """What all guardrails share."""

    false_alarms_per_week: PositiveFloat = Field(1.0, le=100, description="Budget over all guardrails together.")
    rearm_h: Hours = Field(6, description="Hours in control after which an alert is resolved.")
    days_off: list[date] = Field([], description="Days (UTC) with the traffic of a weekend, for rates with a season.")


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


class Guardrails(Section):
    """The guardrails, one section each."""

    latency_p95: LatencyP95 = Field(LatencyP95(), description="p95 latency by stage.")
    cost_per_query: CostPerQuery = Field(CostPerQuery(), description="Cost per answer.")
    query_drift: QueryDrift = Field(QueryDrift(), description="Drift of what is asked.")
    regeneration_rate: RateBand = Field(RateBand(), description="Share of the answers that users asked for again.")
    thumbs_down_rate: RateShown = Field(RateShown(), description="Share of the answers with a thumbs-down.")
    refusal_rate: RateShown = Field(RateShown(), description="Share of the answers that say they cannot answer.")


class Review(Section):
    """Which answers people review, and how they are served."""

    uniform_share: float = Field(0.02, gt=0, le=1, description="Share of all answers that is drawn, whatever they are.")
    minimum_per_week: int = Field(50, ge=0, description="At low traffic at least so many answers a week are drawn.")
    low_confidence_below: float = Field(0.5, ge=0, le=1, description="Confidence below which an answer is unsure.")
    low_confidence_share: float = Field(0.1, ge=0, le=1, description="Share of unsure answers that is drawn besides.")
    thumbs_down_share: float = Field(0.5, ge=0, le=1, description="Share of disliked answers that is drawn besides.")
    uniform_serving_share: float = Field(
        0.6, ge=0.5, le=1, description="Share of a day's reviews that the uniform draw gets first."
    )
    matures_h: Hours = Field(24, description="Hours after which an answer is drawn or not, when its feedback is in.")
    open_days: int = Field(7, ge=1, le=90, description="Days that a drawn answer waits for a reviewer.")
    lease_min: int = Field(30, ge=1, le=1440, description="Minutes that a reviewer has for an answer.")
    second_label_share: float = Field(
        0.1, ge=0, le=1, description="Share of answers that two reviewers label, beside all in which one found a fault."
    )
    salt: SecretStr | None = Field(
        None,
        min_length=16,
        description="Secret of the draw, 16 characters or more; null: derived from the admin key. Never for reviewers.",
    )


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


class Settings(BaseSettings):
    """All settings."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix="RAGVIGIL_",
        env_nested_delimiter="__",
    )

    server: Server = Field(Server(), description="The service.")
    store: StoreSettings = Field(StoreSettings(), description="The database.")
    schedule: Schedule = Field(Schedule(), description="The jobs.")
    alarms: Alarms = Field(Alarms(), description="The alarms.")
    guardrails: Guardrails = Field(Guardrails(), description="The guardrails.")
    review: Review = Field(Review(), description="The blind review.")
    notify: Notify = Field(Notify(), description="The notifications.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments first, then the environment, then the file."""
        del dotenv_settings, file_secret_settings
        return (init_settings, env_settings, YamlConfigSettingsSource(settings_cls))

    @classmethod
    def load(cls, file: Path | None = None, **overrides: Any) -> Self:
        """Read the settings, from `file` too if there is one.

        Raises ConfigurationError that names each wrong setting, what it got and what would be valid.
        """
        if file is not None and not file.is_file():
            raise ConfigurationError(f"There is no configuration file {file}.")
        try:
            return _reading(cls, file)(**overrides)
        except ValidationError as invalid:
            raise ConfigurationError(_explain(file, invalid)) from invalid
        except (yaml.YAMLError, UnicodeDecodeError) as unreadable:
            raise ConfigurationError(f"{file} is not readable as YAML: {unreadable}") from unreadable


SettingsT = TypeVar("SettingsT", bound=Settings)


def _reading(base: type[SettingsT], file: Path | None) -> type[SettingsT]:
    config = SettingsConfigDict(yaml_file=file, yaml_file_encoding="utf-8")
    return type(base.__name__, (base,), {"model_config": config, "__module__": base.__module__})


def _explain(file: Path | None, invalid: ValidationError) -> str:
    where = "The configuration" if file is None else str(file)
    return "\n".join([f"{where} is not valid:", *(_one_problem(problem) for problem in invalid.errors())])


def _one_problem(problem: Any) -> str:
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"  {name}: there is no such setting"
    got = "a value that is not shown" if problem["loc"][-1] in {"secret", "salt"} else repr(problem["input"])
    return f"  {name}: got {got}; {problem['msg']}"
