from ragvigil_monitor.guardrails.registry import GUARDRAILS
from ragvigil_monitor.jobs import jobs
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.signals.rates import RATES


def test_looks_come_after_what_they_depend_on_and_before_what_they_lead_to() -> None:
    names = [job.name for job in jobs(Settings.load())]
    looks = [guardrail.name for guardrail in GUARDRAILS]
    counts = [f"{rate.name}_{what}" for what in ("history", "counts") for rate in RATES]
    drift = ["drift_hours", "drift_days", "drift_references", "drift_evidence"]
    review = ["review_sampling", "relevance_sampling", "relevance_outcomes", "judge_scores"]
    before = ["foreign_answers", "link_stages", "join_feedback", "hour_sums", "markers", "warm_up"]
    before += [*drift, *review, *counts]
    assert names == [*before, *looks, "settle", "deliver", "retention"]


def test_the_hours_of_a_rate_are_counted_when_they_are_judged() -> None:
    listed = {job.name: job for job in jobs(Settings.load())}
    for rate in RATES:
        counted, judged = listed[f"{rate.name}_counts"], listed[rate.name]
        assert counted.matures_s == judged.matures_s == rate.matures_s


def test_every_guardrail_is_judged_as_often_as_configured() -> None:
    settings = Settings.load(guardrails={"latency_p95": {"every_s": 60}, "cost_per_query": {"every_s": 120}})
    periods = {job.name: job.every_s for job in jobs(settings)}
    assert (periods["latency_p95"], periods["cost_per_query"]) == (60, 120)
