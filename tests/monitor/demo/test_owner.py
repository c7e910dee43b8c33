from pathlib import Path

import pytest

from ragvigil_monitor.demo.incidents import INCIDENTS
from ragvigil_monitor.demo.owner import write_settings
from ragvigil_monitor.settings import Settings


@pytest.mark.parametrize(("on_request", "tick_s"), [(True, 0.0), (False, 15.0)], ids=["simulated", "live"])
def test_the_owner_s_settings_are_valid(tmp_path: Path, on_request: bool, tick_s: float) -> None:
    settings = Settings.load(write_settings(tmp_path, on_request=on_request))
    assert settings.schedule.tick_s == tick_s
    assert settings.alarms.false_alarms_per_week == 0.1


def test_every_limit_of_the_app_is_set(tmp_path: Path) -> None:
    guardrails = Settings.load(write_settings(tmp_path, on_request=True)).guardrails
    assert set(guardrails.latency_p95.slo_ms) == {"answer", "retrieve", "rerank", "generate"}
    assert set(guardrails.cost_per_query.budget_usd) == {"mean", "p50", "p99"}
    assert guardrails.false_exclusion.limit_of == {"all": 0.02, "filtered": 0.03}
    assert guardrails.faithfulness.limit == 0.95


def test_every_incident_is_watched_for_and_every_probe_reviewed(tmp_path: Path) -> None:
    settings = Settings.load(write_settings(tmp_path, on_request=True))
    watching = {name for name in type(settings.guardrails).model_fields if getattr(settings.guardrails, name).enabled}
    assert {incident.guardrail for incident in INCIDENTS} <= watching
    assert settings.review.probe_share == 1


def test_both_files_can_lie_in_one_folder(tmp_path: Path) -> None:
    assert write_settings(tmp_path, on_request=True) != write_settings(tmp_path, on_request=False)
