from typing import Any

import pytest

from ragvigil_monitor.guardrails.budget import alarm_budget
from ragvigil_monitor.settings import Settings


def settings(latency: dict[str, Any], cost: dict[str, Any], per_week: float = 1.0) -> Settings:
    silent = ("regeneration_rate", "query_drift", "false_exclusion", "faithfulness")
    others = {name: {"enabled": False} for name in silent}
    return Settings.load(
        guardrails={"latency_p95": latency, "cost_per_query": cost, **others},
        alarms={"false_alarms_per_week": per_week},
    )


def test_every_guarded_series_and_window_and_time_is_a_look() -> None:
    found = alarm_budget(
        settings(
            {"slo_ms": {"answer": 1500, "rerank": 300}, "windows_h": [1, 24], "every_s": 900},
            {"budget_usd": {"mean": 0.01}, "windows_h": [24], "every_s": 3600},
        )
    )
    assert found.looks_per_week == 2 * 2 * 672 + 168
    assert found.alpha_per_look == pytest.approx(1 / found.looks_per_week)


def test_what_is_not_guarded_spends_nothing() -> None:
    found = alarm_budget(settings({"enabled": False}, {"budget_usd": {"mean": 0.01}}))
    assert found.looks_per_week == 168


def test_a_window_that_is_listed_twice_is_one_look() -> None:
    found = alarm_budget(settings({"slo_ms": {"answer": 1500}, "windows_h": [24, 24], "every_s": 3600}, {}))
    assert found.looks_per_week == 168


def test_a_generous_budget_never_makes_alarms_easier_than_the_interval_shown() -> None:
    found = alarm_budget(settings({"slo_ms": {"answer": 1500}, "windows_h": [24], "every_s": 86400}, {}, 100))
    assert found.alpha_per_look == 0.025


def test_without_limits_there_are_no_looks() -> None:
    found = alarm_budget(settings({"enabled": False}, {}))
    assert (found.looks_per_week, found.alpha_per_look) == (0, 0.025)


def test_a_band_takes_its_share_for_every_scale_side_and_series_that_it_may_have() -> None:
    def looks(**band: Any) -> int:
        off = {"enabled": False}
        silent = dict.fromkeys(("latency_p95", "query_drift", "false_exclusion", "faithfulness"), off)
        guardrails = {**silent, "regeneration_rate": band}
        return alarm_budget(Settings.load(guardrails=guardrails)).looks_per_week

    assert looks(windows_h=[1, 6, 24], most_intents=4) == 168 * 3 * 2 * 5
    assert looks(windows_h=[6], intents=["search", "ask"]) == 168 * 1 * 2 * 3
    assert looks(enabled=False) == 0
