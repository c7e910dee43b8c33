"""Who may ask the on-call routes."""

import pytest
from tests.samples.world import World

from ragvigil_monitor.keys import Role

ROUTES = [
    "/status",
    "/alerts",
    "/alerts/x",
    "/signals",
    "/signals/latency_p95/points",
    "/answers",
    f"/answers/{'0' * 32}",
    "/completeness",
    "/ingest",
    "/releases",
    "/feedback",
    "/guardrails/regeneration_rate/history",
]


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("role", [Role.INGEST, Role.REVIEWER])
def test_another_role_is_refused(sampled: World, route: str, role: Role) -> None:
    key = sampled.keys.by_role[role]
    response = sampled.client.get(route, headers={"Authorization": f"Bearer {key}"})
    assert response.status_code == 403
    assert "oncall" in response.json()["detail"]


@pytest.mark.parametrize("route", ROUTES)
def test_no_key_is_refused(sampled: World, route: str) -> None:
    response = sampled.client.get(route, headers={"Authorization": ""})
    assert response.status_code == 401


@pytest.mark.parametrize("action", ["acknowledge", "silence"])
def test_a_reviewer_may_not_act_on_alerts(sampled: World, action: str) -> None:
    key = sampled.keys.by_role[Role.REVIEWER]
    response = sampled.client.post(f"/alerts/x/{action}", json={}, headers={"Authorization": f"Bearer {key}"})
    assert response.status_code == 403


def test_admin_may_ask(sampled: World) -> None:
    key = sampled.keys.by_role[Role.ADMIN]
    assert sampled.client.get("/status", headers={"Authorization": f"Bearer {key}"}).status_code == 200
