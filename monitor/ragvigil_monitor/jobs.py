"""Every job of the monitor, in the order in which they run."""

from functools import partial

from ragvigil_monitor.guardrails.notifiers.deliver import deliver, settle
from ragvigil_monitor.guardrails.registry import GUARDRAILS
from ragvigil_monitor.guardrails.watch import watch
from ragvigil_monitor.job import Job
from ragvigil_monitor.review.drawing import DRAW
from ragvigil_monitor.settings import Settings
from ragvigil_monitor.upkeep import link_stages, releases, warm_up


def jobs(settings: Settings) -> list[Job]:
    """The jobs under these settings: first what looks depend on, then the guardrails, then what they lead to."""
    return [
        Job("link_stages", 0, link_stages),
        Job("releases", 0, releases),
        Job("warm_up", 0, warm_up),
        DRAW,
        *(Job(guardrail.name, guardrail.every_s(settings), partial(watch, guardrail)) for guardrail in GUARDRAILS),
        Job("settle", 0, settle),
        Job("deliver", 0, deliver),
    ]
