"""Every setting of the monitor: read once, checked at once, frozen.

Order of precedence: arguments, environment (`RAGVIGIL_SERVER__PORT=4319`), the YAML file, the defaults here.
"""

import re
from pathlib import Path
from typing import Any, ClassVar, Self, TypeVar

from pydantic import Field, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from ragvigil_monitor.errors import ConfigurationError
from ragvigil_monitor.settings.drift import Drift
from ragvigil_monitor.settings.environment import not_json
from ragvigil_monitor.settings.file import values_in
from ragvigil_monitor.settings.guardrails import Guardrails
from ragvigil_monitor.settings.judge import JudgeSettings
from ragvigil_monitor.settings.needed_days import Needed, needed_days
from ragvigil_monitor.settings.phoenix import Phoenix
from ragvigil_monitor.settings.retention import Retention
from ragvigil_monitor.settings.review import Review
from ragvigil_monitor.settings.service import Alarms, Collector, Notify, Schedule, Server, Spool, StoreSettings


class Settings(BaseSettings):
    """All settings."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix="RAGVIGIL_",
        env_nested_delimiter="__",
    )
    in_file: ClassVar[dict[str, Any]] = {}

    server: Server = Field(Server(), description="The service.")
    store: StoreSettings = Field(StoreSettings(), description="The database.")
    spool: Spool = Field(Spool(), description="The spool directory.")
    collector: Collector = Field(Collector(), description="The files of an OpenTelemetry Collector.")
    schedule: Schedule = Field(Schedule(), description="The jobs.")
    alarms: Alarms = Field(Alarms(), description="The alarms.")
    guardrails: Guardrails = Field(Guardrails(), description="The guardrails.")
    drift: Drift = Field(Drift(), description="The evidence of drift.")
    review: Review = Field(Review(), description="The blind review.")
    judge: JudgeSettings = Field(JudgeSettings(), description="The judge of faithfulness.")
    notify: Notify = Field(Notify(), description="The notifications.")
    retention: Retention = Field(Retention(), description="How long what is stored stays.")
    phoenix: Phoenix = Field(Phoenix(), description="An Arize Phoenix beside Ragvigil.")

    @model_validator(mode="after")
    def _keep_what_is_needed(self) -> Self:
        """Refuse to remove what a window, a reference or a reviewer still needs."""
        if self.retention.enabled:
            for needed in self._needed_days():
                said = getattr(self.retention, needed.setting)
                if said < needed.days and not self.retention.is_starting_value(needed.setting):
                    raise ValueError(f"retention.{needed.setting} must be {needed.days} or more: {needed.reason}")
        return self

    @property
    def kept_days(self) -> dict[str, int]:
        """How long each class of data stays; where nobody said so, at least as long as the other settings need it."""
        days = {needed.setting: getattr(self.retention, needed.setting) for needed in self._needed_days()}
        for needed in self._needed_days():
            days[needed.setting] = max(days[needed.setting], needed.days)
        return days

    def _needed_days(self) -> list[Needed]:
        return needed_days(self.guardrails, self.review, self.retention.spans_days)

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
        return (init_settings, env_settings, InitSettingsSource(settings_cls, cls.in_file))

    @classmethod
    def load(cls, file: Path | None = None, **overrides: Any) -> Self:
        """Read the settings, from `file` too if there is one.

        Raises ConfigurationError that names each wrong setting, what it got and what would be valid.
        """
        reading = _reading(cls, {} if file is None else values_in(file))
        try:
            return reading(**overrides)
        except ValidationError as invalid:
            raise ConfigurationError(_explain(file, invalid)) from invalid
        except SettingsError as refused:
            raise ConfigurationError(not_json(refused)) from refused


SettingsT = TypeVar("SettingsT", bound=Settings)

_SECRETS = {"secret", "salt", "api_key"}
_PASSWORD = re.compile(r"://[^/\s]*@")


def _reading(base: type[SettingsT], in_file: dict[str, Any]) -> type[SettingsT]:
    return type(base.__name__, (base,), {"in_file": in_file, "__module__": base.__module__})


def _explain(file: Path | None, invalid: ValidationError) -> str:
    where = "The configuration" if file is None else str(file)
    return "\n".join([f"{where} is not valid:", *(_one_problem(problem) for problem in invalid.errors())])


def _one_problem(problem: Any) -> str:
    if not problem["loc"]:
        return f"  {problem['ctx']['error']}"
    name = ".".join(str(part) for part in problem["loc"])
    if problem["type"] == "extra_forbidden":
        return f"  {name}: there is no such setting"
    got = (
        "a value that is not shown"
        if problem["loc"][-1] in _SECRETS
        else _PASSWORD.sub("://…@", repr(problem["input"]))
    )
    return f"  {name}: got {got}; {problem['msg']}"
