"""Alerts: listed, read, acknowledged, silenced."""

from datetime import timedelta
from typing import Any

import pytest
from tests.samples.conclusions import COST_ALERT, OLD_ALERT, SLOW_ALERT
from tests.samples.world import World


def test_alerts_are_listed_newest_first(sampled: World) -> None:
    assert [alert["alert_id"] for alert in sampled.get("/alerts")] == [SLOW_ALERT, COST_ALERT, OLD_ALERT]


@pytest.mark.parametrize(
    ("state", "expected"),
    [("firing", [SLOW_ALERT]), ("acknowledged", [COST_ALERT]), ("resolved", [OLD_ALERT]), ("silenced", [])],
)
def test_alerts_are_listed_by_state(sampled: World, state: str, expected: list[str]) -> None:
    assert [alert["alert_id"] for alert in sampled.get("/alerts", state=state)] == expected


def test_the_limit_bounds_the_list(sampled: World) -> None:
    assert len(sampled.get("/alerts", limit=1)) == 1


def test_an_alert_carries_its_evidence(sampled: World) -> None:
    alert = sampled.get(f"/alerts/{SLOW_ALERT}")
    assert alert["evidence"]["limit"] == 400.0
    assert [share["value"] for share in alert["evidence"]["slices"]] == ["1.5.0", "how_to", "web"]
    assert all(len(trace_id) == 32 for trace_id in alert["evidence"]["trace_ids"])


def test_an_unknown_alert_is_not_found(sampled: World) -> None:
    assert sampled.refusal("/alerts/nope") == (404, "There is no alert 'nope'.")


@pytest.mark.parametrize(
    "parameters",
    [{"state": "loud"}, {"limit": 0}, {"limit": 10**9}, {"limit": "many"}],
    ids=["state", "zero", "huge", "word"],
)
def test_a_list_that_cannot_be_is_refused(sampled: World, parameters: dict[str, Any]) -> None:
    status, detail = sampled.refusal("/alerts", **parameters)
    assert status == 422
    assert next(iter(parameters)) in detail


def test_acknowledging_names_who_is_on_it(disposable: World) -> None:
    answer = disposable.client.post(f"/alerts/{SLOW_ALERT}/acknowledge", json={"by": "Ada", "note": "rolling back"})
    assert answer.status_code == 200
    assert answer.json()["state"] == "acknowledged"
    alert = disposable.get(f"/alerts/{SLOW_ALERT}")
    assert (alert["acknowledged_by"], alert["acknowledged_note"]) == ("Ada", "rolling back")
    assert alert["acknowledged_at"] == "2026-11-30T03:00:00Z"


def test_silencing_says_until_when(disposable: World) -> None:
    until = disposable.now + timedelta(hours=4)
    body = {"by": "Ada", "until": until.isoformat()}
    assert disposable.client.post(f"/alerts/{SLOW_ALERT}/silence", json=body).json()["state"] == "silenced"
    assert disposable.get("/status")["alerts"][0]["silenced_until"] == "2026-11-30T07:00:00Z"


@pytest.mark.parametrize("action", ["acknowledge", "silence"])
def test_acting_on_an_unknown_alert_is_not_found(disposable: World, action: str) -> None:
    body = {"by": "Ada", **({"until": "2026-12-24T00:00:00Z"} if action == "silence" else {})}
    response = disposable.client.post(f"/alerts/nope/{action}", json=body)
    assert (response.status_code, response.json()["detail"]) == (404, "There is no alert 'nope'.")


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("acknowledge", {}),
        ("acknowledge", {"by": ""}),
        ("acknowledge", {"by": "x" * 201}),
        ("acknowledge", {"by": "Ada", "shout": True}),
        ("silence", {"by": "Ada"}),
        ("silence", {"by": "Ada", "until": "2026-12-24T00:00:00"}),
        ("silence", {"by": "Ada", "until": "2026-11-30T03:00:00Z"}),
        ("silence", {"by": "Ada", "until": "tomorrow"}),
    ],
    ids=["nobody", "empty name", "long name", "unknown field", "no time", "naive", "not in the future", "word"],
)
def test_an_incomplete_action_changes_nothing(disposable: World, action: str, body: dict[str, Any]) -> None:
    response = disposable.client.post(f"/alerts/{SLOW_ALERT}/{action}", json=body)
    assert response.status_code == 422
    assert disposable.get(f"/alerts/{SLOW_ALERT}")["state"] == "firing"
