from ragvigil_monitor.guardrails.registry import GUARDRAILS
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.settings import Settings


def test_looks_come_after_what_they_depend_on_and_before_what_they_lead_to() -> None:
    names = [job.name for job in jobs(Settings.load())]
    looks = [guardrail.name for guardrail in GUARDRAILS]
    assert names == ["link_stages", "releases", "warm_up", "review_sampling", *looks, "settle", "deliver"]


def test_every_guardrail_is_judged_as_often_as_configured() -> None:
    settings = Settings.load(guardrails={"latency_p95": {"every_s": 60}, "cost_per_query": {"every_s": 120}})
    periods = {job.name: job.every_s for job in jobs(settings)}
    assert (periods["latency_p95"], periods["cost_per_query"]) == (60, 120)
